import { keptLists } from './kit/device.ts';
import { openNote, select, typeAtEnd } from './kit/notes.ts';
import { expect, signedIn, test } from './kit/test.ts';

/** Paths of the app that the browser has cached. */
const KEPT = `caches.open('notevault-shell').then((cache) => cache.keys())
  .then((all) => all.map(({ url }) => new URL(url).pathname))`;

const state = 'save-state';

/** A picture of one point. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test.use({ savesData: false, serviceWorkers: 'allow' });

test('the app opens with its notes while the server is away, and goes on by itself when it is back', async ({
  page,
  freshServer,
  context,
}) => {
  const alice = await signedIn(freshServer, context);
  await alice.write('Garden/Beans.md', 'text\n');
  const note = await alice.write('Note.md', 'text\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  // Another load, of which the worker keeps the page.
  await page.reload();
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByRole('main').getByRole('link', { name: 'Beans' })).toBeVisible();
  const kept = await page.evaluate<string[]>(KEPT);
  expect(kept).toContain('/index.html');
  expect(kept.filter((path) => path !== '/index.html' && !path.startsWith('/assets/'))).toEqual([]);
  await expect.poll(() => keptLists(page)).toEqual(['lists/recent', 'me', 'preferences', 'tree', 'vaults']);
  // Also what was never needed: the page of the first address, and the graph.
  await page.evaluate("navigator.serviceWorker.controller.postMessage('keep-all')");
  for (const part of ['home', 'graph-view']) {
    const files = () => page.evaluate<string[]>(KEPT);
    await expect.poll(async () => (await files()).some((path) => path.includes(part)), { timeout: 45_000 }).toBe(true);
  }
  await freshServer.kill();
  await page.goto(freshServer.url);
  await expect(page.getByRole('main').getByRole('link', { name: 'Beans' })).toBeVisible();
  await expect(page.getByRole('treeitem', { name: 'Garden' })).toBeVisible();
  await page.getByRole('treeitem', { name: 'Note' }).click();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('typed without a server');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  await freshServer.run();
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved', { timeout: 45_000 });
  // The session of the app is there again, and what it shows is what the server has.
  await page.getByRole('button', { name: /^Switch vault/ }).click();
  await page.getByRole('menuitem', { name: 'Trash' }).click();
  await expect(page.getByText('The trash is empty')).toBeVisible();
});

test('what was overtaken elsewhere is listed with the reason, and done anyway or under another name', async ({
  page,
  alice,
  context,
}) => {
  for (const name of ['Edited', 'Gone', 'Old']) await alice.write(`${name}.md`, 'text\n');
  await page.goto(alice.page());
  await openNote(page, 'Edited');
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await context.setOffline(true);
  await select(page, 'Old');
  await page.keyboard.press('F2');
  await page.getByLabel('New name').fill('Mine');
  await page.keyboard.press('Enter');
  await select(page, 'Gone');
  await page.keyboard.press('Delete');
  await expect(page.getByRole('treeitem', { name: 'Gone' })).toHaveCount(0);
  await page.getByRole('button', { name: 'New note' }).first().click();
  await expect(page.getByRole('main').getByText('Draft', { exact: true })).toBeVisible();
  await typeAtEnd(page, 'from here');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  await alice.vault.renameNote('Old.md', 'Theirs.md');
  await alice.write('Gone.md', 'text of somebody else\n');
  await alice.write('Untitled.md', 'from there');
  await context.setOffline(false);
  const badge = page.getByTestId('unsent');
  await expect(badge).toHaveText('3 notes cannot be sent', { timeout: 45_000 });
  await badge.click();
  const list = page.getByRole('dialog');
  await expect(list).toContainText('It was moved elsewhere, to Theirs.md.');
  await expect(list).toContainText('Gone.md was changed elsewhere meanwhile.');
  await expect(list).toContainText('The name Untitled.md is already taken.');
  await list.getByRole('button', { name: 'Do it anyway: Mine' }).click();
  await list.getByRole('button', { name: 'Do it anyway: Gone' }).click();
  await list.getByRole('button', { name: 'Save under another name: Untitled' }).click();
  await expect(badge).toHaveCount(0, { timeout: 45_000 });
  const { notes } = await alice.vault.tree();
  expect(notes.map(({ path }) => path).sort()).toEqual(['Edited.md', 'Mine.md', 'Untitled 2.md', 'Untitled.md']);
  const texts = ['Untitled.md', 'Untitled 2.md'].map(async (path) => (await alice.vault.readNote(path))?.content);
  expect(await Promise.all(texts)).toEqual(['from there', 'from here']);
});

test('a pasted file, a note of a dangling link and restored notes wait for the connection', async ({
  page,
  alice,
  context,
}) => {
  await alice.write('Note.md', 'first\n\nsee [[Beans]]\n\n');
  await alice.vault.deleteNote((await alice.write('Old.md', 'back again\n')).id);
  const parts = page.waitForResponse(/unsent-dialog.*js/);
  await page.goto(alice.page('/trash'));
  await parts;
  await expect(page.getByRole('button', { name: 'Restore: Old' })).toBeVisible();
  await openNote(page, 'Note');
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.goBack();
  await expect(page.getByRole('button', { name: 'Restore: Old' })).toBeVisible();
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Restore: Old' }).click();
  await expect(page.getByRole('treeitem', { name: 'Old' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Restore: Old' })).toHaveCount(0);
  await openNote(page, 'Note');
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.evaluate(`(async () => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob('${PIXEL}'), (letter) => letter.charCodeAt(0));
    data.items.add(new File([bytes], 'bed.png', { type: 'image/png' }));
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
    document.querySelector('.cm-content').dispatchEvent(event);
  })()`);
  await expect(page.locator('.cm-content')).toContainText('bed.png');
  // Where the cursor is, the source of the picture is shown.
  await page.keyboard.press('Control+Home');
  const width = () =>
    page.locator('.cm-content img:not(.cm-widgetBuffer)').evaluate((image) => Reflect.get(image, 'naturalWidth'));
  await expect.poll(width).toBe(1);
  await page.locator('.cm-content').getByText('Beans').click();
  await expect(page.getByRole('main').getByText('Draft', { exact: true })).toBeVisible();
  await typeAtEnd(page, 'in May');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  const badge = page.getByTestId('unsent');
  // What waits is listed after a moment only: without this, the end of it could be seen before its beginning.
  await expect(badge).toBeVisible();
  await context.setOffline(false);
  await expect(badge).toHaveCount(0, { timeout: 45_000 });
  const { notes, attachments } = await alice.vault.tree();
  expect(notes.map(({ path }) => path).sort()).toEqual(['Beans.md', 'Note.md', 'Old.md']);
  expect(attachments.map(({ path }) => path)).toEqual(['Attachments/bed.png']);
  const file = await alice.vault.readAttachment('Attachments/bed.png');
  expect(Buffer.from(await new Response(file?.bytes).arrayBuffer()).toString('base64')).toBe(PIXEL);
  const content = async (path: string) => (await alice.vault.readNote(path))?.content;
  await expect.poll(() => content('Note.md')).toContain('![[Attachments/bed.png]]');
  expect([await content('Beans.md'), await content('Old.md')]).toEqual(['in May', 'back again\n']);
});
