import { contentOf, openNote, typeAtEnd } from './kit/notes.ts';
import { expect, test } from './kit/test.ts';

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
