import { expect, expectAccessible, fillAccount, PASSWORD, test } from './kit/test.ts';

test('the first run makes an account, a vault and a note, goes on after a reload, and checks the server', async ({
  page,
  freshServer,
}) => {
  const setupUrl = freshServer.setupUrl();
  await page.goto(freshServer.url);
  await expect(page.getByRole('heading', { name: 'Create the first account' })).toBeVisible();
  await expect(page.getByLabel('Setup token')).toBeVisible();
  await page.goto(setupUrl);
  await expect(page.getByLabel('Setup token')).toBeHidden();
  expect(page.url()).toBe(`${freshServer.url}/`);
  await expect(page.getByText('notevault restore BACKUP')).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Password', { exact: true }).fill('short');
  await expect(page.getByText('Too short')).toBeVisible();
  await fillAccount(page, ' ', 'alice@example.org');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByLabel('Your name')).toBeFocused();
  await page.getByLabel('Your name').fill('Alice');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('heading', { name: 'Bring your notes' })).toBeVisible();
  await expect(page.getByText('Step 2 of 4')).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Name').fill('Diary');
  await page.getByRole('button', { name: 'Begin with an empty vault' }).click();
  await expect(page.getByRole('heading', { name: 'Connect what you use' })).toBeVisible();
  await expect(page.getByText(`${freshServer.url}/api/mcp`, { exact: true }).first()).toBeVisible();
  await expect(page.getByRole('region', { name: 'Obsidian' })).toContainText(freshServer.url);
  await expectAccessible(page);
  await page.reload();
  await page.getByRole('link', { name: 'Next' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Live editing gets through' })).toContainText('in order');
  await expect(page.getByRole('listitem').filter({ hasText: 'There is no recent backup' })).toContainText(
    'NOTEVAULT_BACKUP_DIR',
  );
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Go to the notes' }).click();
  await expect(page.getByRole('button', { name: /Diary/ })).toBeVisible();
  await page.getByRole('button', { name: 'New note', exact: true }).click();
  await expect(page.getByRole('treeitem', { name: 'Untitled' })).toHaveAttribute('aria-current', 'page');
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
});

test('the setup address leads to sign-in once there is an account, also from a page opened earlier', async ({
  page,
  freshServer,
  context,
}) => {
  const setupUrl = freshServer.setupUrl();
  await page.goto(setupUrl);
  await fillAccount(page, 'Bob', 'bob@example.org');
  const token = new URLSearchParams(new URL(setupUrl).hash.slice(1)).get('setup');
  const data = { email: 'alice@example.org', password: PASSWORD, setup_token: token };
  const made = await context.request.post(`${freshServer.url}/api/auth/register`, { data });
  expect(made.status()).toBe(201);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
  await context.clearCookies();
  await page.goto('about:blank');
  await page.goto(setupUrl);
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
  expect(page.url()).toBe(`${freshServer.url}/`);
});

test('a wrong setup token in the address can be corrected on the page', async ({ page, freshServer }) => {
  const token = new URLSearchParams(new URL(freshServer.setupUrl()).hash.slice(1)).get('setup') ?? '';
  await page.goto(`${freshServer.url}/#setup=nv_setup_wrong`);
  await fillAccount(page, 'Alice', 'alice@example.org');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('alert')).toContainText('not the setup token');
  await page.getByLabel('Setup token').fill(token);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('heading', { name: 'Bring your notes' })).toBeVisible();
});

test('signing in refuses a wrong password, survives a reload, and ends in all tabs', async ({
  page,
  alice,
  context,
}) => {
  await context.clearCookies();
  await page.goto(alice.page());
  await page.getByLabel('E-mail').fill(alice.email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toContainText('is wrong');
  await expectAccessible(page);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await expect(page.getByRole('heading', { level: 2, name: 'Notes' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { level: 2, name: 'Notes' })).toBeVisible();

  const other = await context.newPage();
  await other.goto(alice.page());
  await expect(other.getByRole('heading', { level: 2, name: 'Notes' })).toBeVisible();
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  for (const tab of [page, other]) await expect(tab.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
});
