import type { WebSocketRoute } from '@playwright/test';
import { rowsOf } from './kit/device.ts';
import { contentOf, openNote, typeAtEnd } from './kit/notes.ts';
import { expect, expectAccessible, test } from './kit/test.ts';

const state = 'save-state';

test('edits made offline in several notes are counted, and go out when the server is reached', async ({
  page,
  alice,
  context,
}) => {
  for (const name of ['One', 'Two', 'Three']) await alice.write(`${name}.md`, 'start\n');
  await page.goto(alice.page());
  for (const name of ['One', 'Two', 'Three']) {
    await openNote(page, name);
    await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  }
  await context.setOffline(true);
  for (const name of ['One', 'Two']) {
    await openNote(page, name);
    await typeAtEnd(page, `offline in ${name}`);
    await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  }
  await openNote(page, 'Three');
  const badge = page.getByTestId('unsent');
  await expect(badge).toHaveText('2 notes not sent yet');
  await expectAccessible(page);
  await context.setOffline(false);
  await expect.poll(() => contentOf(alice, 'One.md')).toBe('start\noffline in One');
  await expect.poll(() => contentOf(alice, 'Two.md')).toBe('start\noffline in Two');
  await expect(badge).toHaveCount(0);
});

test('two tabs of a note share what is typed offline, and the one that stays open sends it', async ({
  page,
  alice,
  context,
}) => {
  const note = await alice.write('Shared.md', 'start\n');
  const [second, home] = [await context.newPage(), await context.newPage()];
  await home.goto(alice.page());
  for (const one of [page, second]) {
    await one.goto(alice.page(`/notes/${note.id}`));
    await expect(one.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  }
  await context.setOffline(true);
  await typeAtEnd(page, 'from the first');
  await expect(second.locator('.cm-content')).toContainText('from the first');
  for (const one of [page, second]) await expect(one.getByTestId(state)).toHaveText('Offline – kept on this device');
  // Also where the note is not shown.
  for (const one of [second, home]) await expect(one.getByTestId('unsent')).toHaveText('1 note not sent yet');
  await page.close();
  await context.setOffline(false);
  await expect.poll(() => contentOf(alice, 'Shared.md')).toBe('start\nfrom the first');
  await expect(second.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  for (const one of [second, home]) await expect(one.getByTestId('unsent')).toHaveCount(0);
});

test('the list of unsent edits compares, downloads, discards and brings back', async ({ page, alice }) => {
  const sockets: WebSocketRoute[] = [];
  let isAway = false;
  await page.routeWebSocket(/.*/, (socket) => {
    if (isAway) return void socket.close();
    socket.connectToServer();
    sockets.push(socket);
  });
  for (const name of ['Draft', 'Other']) await alice.write(`${name}.md`, 'start\n');
  await page.addInitScript('StorageManager.prototype.persist = async () => (globalThis.wasAsked = true);');
  await page.goto(alice.page());
  for (const name of ['Other', 'Draft']) await openNote(page, name);
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  // Only edits stay here: requests reach the server.
  isAway = true;
  for (const socket of sockets) await socket.close();
  await typeAtEnd(page, 'precious');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  expect(await page.evaluate('globalThis.wasAsked')).toBe(true);
  await openNote(page, 'Other');
  const badge = page.getByTestId('unsent');
  await badge.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Compare with the server: Draft' }).click();
  await expect(dialog.locator('ins')).toHaveText('precious');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download: Draft' }).click();
  expect((await download).suggestedFilename()).toBe('Draft.md');
  await dialog.getByRole('button', { name: 'Discard: Draft' }).click();
  await expect(badge).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(badge).toHaveText('1 note not sent yet');
  // Somebody else writes at the same place: both texts are compared, and what is kept of both is written.
  await alice.write('Draft.md', 'start\nfrom elsewhere\n');
  await badge.click();
  await dialog.getByRole('button', { name: 'Compare with the server: Draft' }).click();
  const [theirs, ours] = [
    page.getByRole('group', { name: 'On the server' }),
    page.getByRole('group', { name: 'On this device' }),
  ];
  const topsOf = async () => [(await theirs.boundingBox())?.y ?? 0, (await ours.boundingBox())?.y ?? 0] as const;
  const [beside, other] = await topsOf();
  expect(other).toBe(beside);
  await page.setViewportSize({ width: 390, height: 800 });
  const [above, below] = await topsOf();
  expect(below).toBeGreaterThan(above);
  const kept = page.getByRole('textbox', { name: 'Result' });
  await page.getByRole('button', { name: 'Use this device’s' }).click();
  await expect(kept).toHaveValue(/^precious\n?$/);
  await page.getByRole('button', { name: 'Use both' }).click();
  await expect(kept).toHaveValue(/from elsewhere\nprecious/);
  await kept.press('End');
  await kept.pressSequentially(' and new');
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.getByRole('button', { name: 'Save the text' }).click();
  await expect(badge).toHaveCount(0);
  expect((await alice.vault.readNote('Draft.md'))?.content).toMatch(/^start\nfrom elsewhere\nprecious and new/);
});

test('edits of a note that is left where nothing can be kept wait in the tab, which asks before it closes', async ({
  page,
  alice,
  context,
}) => {
  for (const name of ['Here', 'Other']) await alice.write(`${name}.md`, 'start\n');
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await page.addInitScript(() => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }));
  await page.goto(alice.page());
  for (const name of ['Other', 'Here']) await openNote(page, name);
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await context.setOffline(true);
  await typeAtEnd(page, 'only in the tab');
  await expect(page.getByTestId(state)).toHaveText(/^Offline – not saved/);
  await openNote(page, 'Other');
  const badge = page.getByTestId('unsent');
  await expect(badge).toHaveText('1 note not sent yet');
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => asked).toEqual(['beforeunload']);
  await openNote(page, 'Here');
  await expect(page.locator('.cm-content')).toContainText('only in the tab');
  await openNote(page, 'Other');
  await context.setOffline(false);
  await expect.poll(() => contentOf(alice, 'Here.md')).toBe('start\nonly in the tab');
  await expect(badge).toHaveCount(0);
});

test('a note with a copy on the device opens at once, and then has what the server has', async ({ page, alice }) => {
  const kept = await alice.write('Kept.md', 'on the device\n');
  await alice.write('Start.md', 'start\n');
  const sockets: WebSocketRoute[] = [];
  let isHeld = false;
  await page.routeWebSocket(/.*/, (socket) => {
    if (isHeld) return void socket.close();
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.goto(alice.page(`/notes/${kept.id}`));
  // A page that is left at once keeps no copy.
  await expect.poll(async () => (await rowsOf(page, 'notevault-notes', 'copies')).length).toBe(1);
  await page.goto(alice.page());
  await openNote(page, 'Start');
  // From here on, the server answers nothing about notes.
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/api/notes/**', async (route) => {
    await answered;
    await route.fallback();
  });
  isHeld = true;
  for (const socket of sockets) await socket.close();
  await alice.vault.upsertNote({ path: 'Kept.md', content: 'on the device\nand changed elsewhere\n', mtime: 1 });
  await openNote(page, 'Kept');
  await expect(page.locator('.cm-content')).toContainText('on the device');
  await expect(page.locator('.cm-content')).not.toContainText('elsewhere');
  await typeAtEnd(page, 'typed at once');
  isHeld = false;
  answer();
  await expect(page.locator('.cm-content')).toContainText('and changed elsewhere', { timeout: 45_000 });
  await expect.poll(() => contentOf(alice, 'Kept.md')).toMatch(/typed at once/);
  await expect.poll(() => contentOf(alice, 'Kept.md')).toMatch(/and changed elsewhere/);
});
