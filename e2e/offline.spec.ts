import type { Page } from '@playwright/test';
import { keptLists } from './kit/device.ts';
import { expect, expectAccessible, PASSWORD, test } from './kit/test.ts';

test.use({ serviceWorkers: 'allow' });

const state = 'save-state';

/** Types at the end of the open note, and waits until the device has it. */
async function typeAtEnd(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
}

test('the app opens with its notes without a connection, and goes on by itself with one', async ({
  page,
  alice,
  context,
}) => {
  const note = await alice.write('Note.md', 'text\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  const isPageKept = `caches.match('/index.html', { ignoreVary: true }).then((page) => page !== undefined)`;
  await expect.poll(() => page.evaluate(isPageKept)).toBe(true);
  await expect.poll(() => keptLists(page)).toEqual(['me', 'preferences', 'tree', 'vaults']);
  await context.setOffline(true);
  await page.reload();
  await expect(page.getByRole('treeitem', { name: 'Note' })).toBeVisible();
  await typeAtEnd(page, 'typed');
  await page.getByRole('button', { name: 'New note', exact: true }).first().click();
  await expect(page.getByRole('main').getByText('Draft', { exact: true })).toBeVisible();
  await typeAtEnd(page, 'a draft');
  // Another load, which has only what the device kept.
  await page.reload();
  await expect(page.getByRole('main').getByText('Draft', { exact: true })).toBeVisible();
  await expect(page.locator('.cm-content')).toHaveText('a draft');
  await context.setOffline(false);
  const contentOf = async (path: string) => (await alice.vault.readNote(path))?.content;
  await expect.poll(() => contentOf('Note.md'), { timeout: 45_000 }).toBe('text\ntyped');
  await expect.poll(() => contentOf('Untitled.md'), { timeout: 45_000 }).toBe('a draft');
});

test('settings say what works without a worker', async ({ page, alice }) => {
  await page.goto(`${alice.url}/settings`);
  await expect(page.getByText('the app opens offline too')).toBeVisible();
  await page.addInitScript(() => Object.defineProperty(globalThis, 'isSecureContext', { value: false }));
  await page.reload();
  await expect(page.getByText('needs https')).toBeVisible();
  await expectAccessible(page);
});

test('a worker whose file the server has no more removes itself and what it kept', async ({ page, alice, context }) => {
  const isWorking = () =>
    page.evaluate<boolean>('navigator.serviceWorker.getRegistrations().then((all) => all.length > 0)');
  await page.goto(alice.page());
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  // Away is not gone.
  await context.route('**/app-worker.js', (route) => route.fulfill({ status: 503 }));
  await page.reload();
  await expect(page.getByRole('heading', { level: 2, name: 'Notes' })).toBeVisible();
  expect(await isWorking()).toBe(true);
  await context.unroute('**/app-worker.js');
  await context.route('**/app-worker.js', (route) => route.fulfill({ status: 404 }));
  await page.reload();
  await expect.poll(isWorking).toBe(false);
  await expect.poll(() => page.evaluate("caches.has('notevault-shell')")).toBe(false);
});

test('nothing opens without the server after signing out, nor on a device of others', async ({ page, alice }) => {
  await alice.write('Note.md', 'text\n');
  await page.goto(alice.page());
  await expect.poll(() => keptLists(page)).toEqual(['lists/recent', 'me', 'preferences', 'tree', 'vaults']);
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await expect.poll(() => keptLists(page)).toEqual([]);
  await page.getByLabel('E-mail').fill(alice.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('This is my device').setChecked(false);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('treeitem', { name: 'Note' })).toBeVisible();
  await page.route('**/api/**', (route) => route.abort());
  await page.reload();
  await expect(page.getByRole('heading', { name: 'The server cannot be reached.' })).toBeVisible();
  expect(await keptLists(page)).toEqual([]);
  expect(await page.evaluate(() => localStorage.getItem('notevault-account'))).toBeNull();
});

test('a note, a folder, renames and deletions made without a connection wait, and are done when it is back', async ({
  page,
  alice,
  context,
}) => {
  for (const name of ['Old', 'Gone']) await alice.write(`${name}.md`, 'text\n');
  const parts = page.waitForResponse(/unsent-dialog.*js/);
  await page.goto(alice.page());
  await parts;
  await page.getByRole('treeitem', { name: 'Old' }).click();
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await context.setOffline(true);
  await page.getByRole('button', { name: 'New note', exact: true }).first().click();
  await expect(page.getByRole('main').getByText('Draft', { exact: true })).toBeVisible();
  await page.locator('.cm-content').click();
  await page.keyboard.type('typed into a draft');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  const tree = page.getByRole('tree');
  await tree.focus();
  await page.keyboard.press('o');
  await page.keyboard.press('F2');
  await page.getByLabel('New name').fill('Renamed');
  await page.keyboard.press('Enter');
  await tree.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Delete');
  await expect(page.getByRole('treeitem', { name: 'Gone' })).toHaveCount(0);
  const badge = page.getByTestId('unsent');
  await expect(badge).toHaveText('3 changes not sent yet');
  await badge.click();
  await expect(page.getByRole('dialog')).toContainText('New note · waiting for the server');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await context.setOffline(false);
  await expect(badge).toHaveCount(0, { timeout: 45_000 });
  const { notes } = await alice.vault.tree();
  expect(notes.map(({ path }) => path).sort()).toEqual(['Renamed.md', 'Untitled.md']);
  expect((await alice.vault.readNote('Untitled.md'))?.content).toBe('typed into a draft');
  await page.getByRole('treeitem', { name: 'Untitled' }).click();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(', and then into the note');
  const content = async () => (await alice.vault.readNote('Untitled.md'))?.content;
  await expect.poll(content).toBe('typed into a draft, and then into the note');
});
