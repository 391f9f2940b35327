import type { Page } from '@playwright/test';
import type { Account } from './kit/account.ts';
import { hasWorker, rowsOf } from './kit/device.ts';
import { contentOf, openNote, typeAtEnd } from './kit/notes.ts';
import { expect, expectAccessible, test } from './kit/test.ts';

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Has all of the vault kept on this device, from the settings, and waits until it is. */
async function keep(page: Page, alice: Account, about: string | RegExp, withFiles = false): Promise<void> {
  await page.goto(`${alice.url}/settings`);
  await page.getByRole('button', { name: 'Keep on this device: Notes' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(about);
  if (withFiles) await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Keep on this device' }).click();
  await expect(page.getByText('as on the server')).toBeVisible();
}

const cachedFiles = (page: Page) =>
  page.evaluate<string[]>(`caches.open('notevault-files').then((cache) => cache.keys())
    .then((all) => all.map(({ url }) => new URL(url).pathname.split('/').slice(3).join('/')))`);

test('a vault that is kept on the device opens without a connection, also what was never opened', async ({
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
  await expect(page.getByTestId('save-state')).toHaveText('Saved');
  await keep(page, alice, /3 notes, \d+ bytes/, true);
  await expect(page.getByRole('listitem').filter({ hasText: 'as on the server' })).toContainText(
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

test('what is kept of a vault goes when it is removed, and when the session ends', async ({ page, alice }) => {
  const note = await alice.write('Note.md', 'text\n');
  await alice.vault.putAttachment('pixel.png', { bytes: () => PIXEL, mtime: 1 });
  await keep(page, alice, '1 note', true);
  const texts = () => rowsOf<{ id: string }>(page, 'notevault-kept', 'notes');
  expect((await texts()).map(({ id }) => id)).toEqual([note.id]);
  expect(await cachedFiles(page)).toEqual(['pixel.png']);
  await page.getByRole('button', { name: 'Remove from this device: Notes' }).click();
  await expect(page.getByRole('button', { name: 'Keep on this device: Notes' })).toBeVisible();
  await expect.poll(texts).toEqual([]);
  await expect.poll(() => cachedFiles(page)).toEqual([]);
  await keep(page, alice, '1 note', true);
  await page.goto(alice.page());
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await expect.poll(texts).toEqual([]);
  expect(await page.evaluate("caches.has('notevault-files')")).toBe(false);
});

test('a vault is not kept where it has no room, and keeping it is cancelled', async ({ page, alice, context }) => {
  await alice.write('Note.md', 'text\n');
  let isHeld = true;
  await context.route('**/api/sync/changes?*fields=all*cursor=*', (route) => (isHeld ? undefined : route.continue()));
  await context.addInitScript(`const room = sessionStorage.getItem('room');
    if (room !== null) navigator.storage.estimate = async () => ({ quota: Number(room), usage: 0 });`);

  await page.goto(`${alice.url}/settings`);
  await page.evaluate(() => sessionStorage.setItem('room', '1000'));
  await page.reload();
  await page.getByRole('button', { name: 'Keep on this device: Notes' }).click();
  await expect(page.getByRole('dialog')).toContainText('There is not enough room on this device');
  await page.evaluate(() => sessionStorage.removeItem('room'));
  await page.reload();
  await page.getByRole('button', { name: 'Keep on this device: Notes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep on this device' }).click();
  await page.getByRole('button', { name: /^Cancel keeping|^Remove/ }).click();
  await expect(page.getByRole('button', { name: 'Keep on this device: Notes' })).toBeVisible();
  expect(await rowsOf(page, 'notevault-kept', 'vaults')).toEqual([]);
  isHeld = false;
});
