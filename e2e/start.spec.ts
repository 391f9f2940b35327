import { expect, expectAccessible, PASSWORD, test } from './kit/test.ts';

test('the first account is made on the page, gets a vault, and writes a first note', async ({ page, freshServer }) => {
  await page.goto(freshServer.url);
  await expect(page.getByRole('heading', { name: 'Create the first account' })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('E-mail').fill('alice@example.org');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await expect(page.getByText('Too short')).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('button', { name: 'Create vault' }).click();
  await page.getByRole('button', { name: 'New note' }).click();
  await expect(page.getByRole('treeitem', { name: 'Untitled' })).toHaveAttribute('aria-current', 'page');
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
  await expect(page.getByRole('alert')).toContainText('not right');
  await expectAccessible(page);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await expect(page.getByRole('tree')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('tree')).toBeVisible();

  const other = await context.newPage();
  await other.goto(alice.page());
  await expect(other.getByRole('tree')).toBeVisible();
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  for (const tab of [page, other]) await expect(tab.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
});
