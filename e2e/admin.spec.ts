import { ENGINE } from './kit/server.ts';
import { expect, expectAccessible, fillAccount, PASSWORD, signedIn, test } from './kit/test.ts';

test('an admin invites somebody, who joins by the link, and then suspends and deletes the account', async ({
  page,
  browser,
  freshServer,
}) => {
  await signedIn(freshServer, page.context());
  await page.goto(`${freshServer.url}/admin/invites`);
  await page.getByLabel('For this e-mail only').fill('bob@example.org');
  await page.getByRole('button', { name: 'Create invite' }).click();
  const link = await page.getByText(`${freshServer.url}/#invite=`).textContent();
  await expect(page.getByRole('button', { name: 'Withdraw: bob@example.org' })).toBeVisible();
  await expectAccessible(page);

  await using bobs = await browser.newContext();
  const bob = await bobs.newPage();
  await bob.goto(link ?? '');
  await expect(bob.getByRole('heading', { name: 'Join this server' })).toBeVisible();
  await fillAccount(bob, 'Bob', 'bob@example.org');
  await bob.getByRole('button', { name: 'Create account' }).click();
  await expect(bob.getByText('Step 2 of 3')).toBeVisible();
  await bob.goto(`${freshServer.url}/admin`);
  await expect(bob.getByRole('heading', { name: 'This page does not exist.' })).toBeVisible();

  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('button', { name: 'Edit… bob@example.org' }).click();
  await page.getByLabel('Role').selectOption('Admin');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'bob@example.org' })).toContainText('Admin');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Suspend bob@example.org' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
  await expect(page.getByText('Suspended')).toBeVisible();
  const refused = await bobs.request.post(`${freshServer.url}/api/auth/login`, {
    data: { email: 'bob@example.org', password: PASSWORD },
  });
  expect(refused.status()).toBe(403);

  await page.getByRole('button', { name: 'Delete… bob@example.org' }).click();
  await page.getByLabel('Your own password').fill('not the password');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete…' }).click();
  await expect(page.getByRole('alert')).toContainText('The password is wrong.');
  await page.getByLabel('Your own password').fill(PASSWORD);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete…' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'bob@example.org' })).toHaveCount(0);
});

test('an admin sees the totals of the server and its checks, and nothing that anybody wrote', async ({
  page,
  freshServer,
}) => {
  const alice = await signedIn(freshServer, page.context());
  await alice.write('Secret plan.md', '# Secret plan\n');
  await page.goto(`${freshServer.url}/admin/health`);
  await expect(
    page.getByRole('definition').filter({ hasText: ENGINE === 'postgres' ? 'PostgreSQL' : 'SQLite' }),
  ).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'The clocks agree' })).toContainText('in order');
  await expect(page.getByRole('listitem').filter({ hasText: 'There is no recent backup' })).toContainText(
    'worth a look',
  );
  // On the machine of the server itself, nothing is said of encryption.
  await expect(page.getByText(/encrypted/)).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Users' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Alice' })).toContainText('notes: 1');
  await expect(page.getByText('Secret plan')).toBeHidden();
  await expect(page.getByText(/visible only to its owner and members/)).toBeVisible();
});
