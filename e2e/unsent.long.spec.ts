import { rowsOf } from './kit/device.ts';
import { contentOf, openNote, typeAtEnd } from './kit/notes.ts';
import { expect, expectAccessible, test } from './kit/test.ts';

const state = 'save-state';

test('two tabs that find the same unsent edits put them into the note once', async ({ page, alice, context }) => {
  await alice.write('Twice.md', 'start\n');
  await alice.write('Other.md', 'other\n');
  const second = await context.newPage();
  for (const one of [page, second]) {
    await one.goto(alice.page());
    await openNote(one, 'Twice');
    await openNote(one, 'Other');
    await openNote(one, 'Twice');
  }
  await context.setOffline(true);
  await typeAtEnd(page, 'from one');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  await openNote(page, 'Other');
  await typeAtEnd(second, ' from two');
  await expect(second.getByTestId(state)).toHaveText('Offline – kept on this device');
  await openNote(second, 'Other');
  await context.setOffline(false);
  for (const one of [page, second]) await expect(one.getByTestId('unsent')).toHaveCount(0);
  await expect.poll(() => contentOf(alice, 'Twice.md')).toMatch(/^start\n(from one from two| from twofrom one)$/);
});

test('edits of a note that was deleted meanwhile are listed with the reason, and kept as a new note', async ({
  page,
  alice,
  context,
}) => {
  const note = await alice.write('Gone.md', 'start\n');
  await alice.write('Other.md', 'other\n');
  await page.goto(alice.page());
  await openNote(page, 'Other');
  await openNote(page, 'Gone');
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await context.setOffline(true);
  await typeAtEnd(page, 'precious');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  await openNote(page, 'Other');
  await alice.vault.deleteNote(note.id);
  await context.setOffline(false);
  const badge = page.getByTestId('unsent');
  await expect(badge).toHaveText('1 note cannot be sent', { timeout: 45_000 });
  await badge.click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('the note does not exist on the server, or you have no access to it');
  await expectAccessible(page);
  await dialog.getByRole('link', { name: 'Gone' }).click();
  await expect(page.getByTestId(state)).toHaveText(
    'Cannot save: the note does not exist on the server, or you have no access to it',
  );
  await page.getByRole('button', { name: 'Keep as a new note' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^Gone \(/ })).toBeVisible();
  await expect(page.locator('.cm-content')).toContainText('precious');
  await expect(badge).toHaveCount(0);
});

test('a note that was opened before opens from the copy on the device while the server is away', async ({
  page,
  alice,
  context,
}) => {
  const kept = await alice.write('Kept.md', 'on the device\n');
  await alice.write('Start.md', 'start\n');
  await alice.write('Unseen.md', 'unseen\n');
  await page.goto(alice.page(`/notes/${kept.id}`));
  // A page that is left at once keeps no copy.
  await expect.poll(async () => (await rowsOf(page, 'notevault-notes', 'copies')).length).toBe(1);
  // Another page load, whose memory does not have the note.
  await page.goto(alice.page('/tags'));
  await openNote(page, 'Start');
  await context.setOffline(true);
  await openNote(page, 'Kept');
  await expect(page.getByText('on the device')).toBeVisible();
  await typeAtEnd(page, 'and more');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  await page.getByRole('treeitem', { name: 'Unseen' }).click();
  await expect(page.getByText('This note is not on this device')).toBeVisible();
  await context.setOffline(false);
  await expect(page.locator('[data-editor-ready]')).toBeVisible();
  await expect.poll(() => contentOf(alice, 'Kept.md')).toBe('on the device\nand more');
});

test('a tab that has what is kept nowhere asks before it closes, and another one does not', async ({
  page,
  alice,
  context,
}) => {
  const note = await alice.write('Here.md', 'start\n');
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  // As in some private windows.
  await page.addInitScript(() => Object.defineProperty(globalThis, 'indexedDB', { value: undefined }));
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await typeAtEnd(page, 'sent');
  await expect.poll(() => contentOf(alice, 'Here.md')).toBe('start\nsent');
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  expect(asked).toEqual([]);
  await context.setOffline(true);
  await typeAtEnd(page, ' not sent');
  await expect(page.getByTestId(state)).toHaveText(/^Offline – not saved/);
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => asked).toEqual(['beforeunload']);
});
