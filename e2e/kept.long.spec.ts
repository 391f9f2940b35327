import { hasWorker, rowsOf } from './kit/device.ts';
import { keep, PIXEL } from './kit/kept.ts';
import { contentOf, openNote, typeAtEnd } from './kit/notes.ts';
import { expect, expectAccessible, test } from './kit/test.ts';

test.use({ serviceWorkers: 'allow' });

test('a vault that is kept on the device is kept current, and is read and written without a connection', async ({
  page,
  alice,
  context,
}) => {
  const opened = await alice.write('Opened.md', 'opened here\n');
  await alice.write('Garden/Beans.md', 'plant in May\n');
  await alice.write('Read.md', '![](pixel.png)\n');
  await alice.vault.putAttachment('pixel.png', { bytes: () => PIXEL, mtime: 1 });
  await page.goto(alice.page());
  await openNote(page, 'Opened');
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  await keep(page, alice, /3 notes, \d+ bytes/, true);
  await expect(page.getByRole('listitem').filter({ hasText: 'up to date' })).toContainText(
    /3 notes, \d+ bytes · 1 file, \d+ bytes/,
  );
  await expectAccessible(page);
  // It is kept current: a note that is new, one that changed, and one of which there is a document here.
  await alice.write('New.md', 'written later\n');
  await alice.write('Opened.md', 'opened here, changed elsewhere\n');
  await expect(page.getByText('4 notes', { exact: false })).toBeVisible({ timeout: 15_000 });
  const updates = async () =>
    (await rowsOf<{ noteId: string }>(page, 'notevault-notes', 'updates')).filter(({ noteId }) => noteId === opened.id);
  await expect.poll(async () => (await updates()).length, { timeout: 15_000 }).toBeGreaterThan(1);
  const lists = async () => JSON.stringify(await rowsOf(page, 'notevault-lists', 'lists'));
  await expect.poll(lists).toContain('New.md');
  await expect.poll(() => hasWorker(page)).toBe(true);
  // The part of the app that is used below: all of it is kept in the background, which tests leave out.
  await page.goto(alice.page());
  await expect(page.getByRole('treeitem', { name: 'New' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeVisible();
  await context.setOffline(true);
  await page.reload();
  await openNote(page, 'Read');
  await expect
    .poll(() =>
      page.locator('.cm-content img').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    )
    .toBe(1);
  await openNote(page, 'New');
  await expect(page.locator('.cm-content')).toHaveText('written later');
  await openNote(page, 'Opened');
  await expect(page.locator('.cm-content')).toHaveText('opened here, changed elsewhere');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('beans');
  await page.keyboard.press('Enter');
  await expect(page.locator('.cm-content')).toHaveText('plant in May');
  // What was only read does not wait.
  await expect(page.getByTestId('unsent')).toHaveCount(0);
  await typeAtEnd(page, 'and water');
  await expect(page.getByTestId('save-state')).toHaveText('Offline – kept on this device');
  await expect(page.getByTestId('unsent')).toHaveText('1 note not sent yet');
  await page.reload();
  await expect(page.locator('.cm-content')).toHaveText('plant in Mayand water');
  // Somebody else writes into it meanwhile.
  await alice.vault.upsertNote({ path: 'Garden/Beans.md', content: '# Beans\nplant in May\n', mtime: 1 });
  await context.setOffline(false);
  await expect
    .poll(() => contentOf(alice, 'Garden/Beans.md'), { timeout: 45_000 })
    .toBe('# Beans\nplant in May\nand water');
  await expect(page.locator('.cm-content')).toHaveText('Beansplant in Mayand water');
  await expect(page.getByTestId('unsent')).toHaveCount(0);
});
