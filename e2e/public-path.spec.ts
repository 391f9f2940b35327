import { hasWorkerAt, keptLists } from './kit/device.ts';
import { contentOf, openNote, typeAtEnd } from './kit/notes.ts';
import { otherBrowser } from './kit/others.ts';
import { Server } from './kit/server.ts';
import { expect, fillAccount, PASSWORD, signedIn, test } from './kit/test.ts';

test.use({ serviceWorkers: 'allow' });

const startBelow = () => Server.start({ NOTEVAULT_REGISTRATION: 'open' }, { path: '/my/notes' });

test('below a path, people write, and read without the server', async ({ page, context }) => {
  await using server = await startBelow();
  const alice = await signedIn(server, context);
  const note = await alice.write('Plans.md', 'Plans\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await typeAtEnd(page, 'typed');
  await expect.poll(() => contentOf(alice, 'Plans.md')).toBe('Plans\ntyped');
  await expect.poll(() => hasWorkerAt(page, '/my/notes/')).toBe(true);
  await expect.poll(() => keptLists(page)).toEqual(['me', 'preferences', 'tree', 'vaults']);
  await context.setOffline(true);
  await page.reload();
  await expect(page.locator('.cm-content')).toContainText('typed');
});

test('below a path, people share a vault, and signing out removes nothing of other apps', async ({ page, context }) => {
  await using server = await startBelow();
  const alice = await signedIn(server, context);
  await alice.write('Plans.md', 'Plans\n');
  const other = await (await otherBrowser(context)).newPage();
  const elsewhere: string[] = [];
  other.on('request', (request) => elsewhere.push(request.url()));
  await other.goto(await alice.invite('editor'));
  await expect(other.getByRole('heading', { name: 'Alice invites you' })).toBeVisible();
  await other.getByRole('button', { name: 'Create account' }).click();
  await fillAccount(other, 'Bela', 'bela@example.org');
  await other.getByRole('button', { name: 'Create account' }).click();
  await openNote(other, 'Plans');
  await typeAtEnd(other, ' together');
  await expect.poll(() => contentOf(alice, 'Plans.md')).toBe('Plans\n together');
  expect(elsewhere.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([]);

  await page.goto(alice.page());
  // What another app of this host has stored.
  await page.evaluate("localStorage.setItem('other', 'app'); caches.open('other')");
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail').fill(alice.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('treeitem', { name: 'Plans' })).toBeVisible();
  expect(await page.evaluate("localStorage.getItem('other')")).toBe('app');
  expect(await page.evaluate("caches.has('other')")).toBe(true);
});
