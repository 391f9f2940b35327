import type { Page } from '@playwright/test';
import { hasWorker, keptLists, rowsOf } from './kit/device.ts';
import { keep, PIXEL } from './kit/kept.ts';
import { openNote } from './kit/notes.ts';
import { expect, test } from './kit/test.ts';

test.use({ serviceWorkers: 'allow' });

const cachedFiles = (page: Page) =>
  page.evaluate<string[]>(`caches.open('notevault-files').then((cache) => cache.keys())
    .then((all) => all.map(({ url }) => new URL(url).pathname.split('/').slice(3).join('/')))`);

test('a vault that is kept on the device opens without a connection, also what was never opened', async ({
  page,
  alice,
  context,
}) => {
  const opened = await alice.write('Opened.md', 'opened here\n');
  await alice.write('Beans.md', 'plant in May\n');
  await keep(page, alice, '2 notes');
  await page.goto(alice.page(`/notes/${opened.id}`));
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  await expect.poll(() => hasWorker(page)).toBe(true);
  await expect.poll(() => keptLists(page)).toEqual(expect.arrayContaining(['me', 'tree', 'vaults']));
  await context.setOffline(true);
  await page.reload();
  await openNote(page, 'Beans');
  await expect(page.locator('.cm-content')).toHaveText('plant in May');
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
  await expect(page.getByRole('dialog')).toContainText('There is not enough space on this device');
  await page.evaluate(() => sessionStorage.removeItem('room'));
  await page.reload();
  await page.getByRole('button', { name: 'Keep on this device: Notes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep on this device' }).click();
  await page.getByRole('button', { name: /^Cancel keeping|^Remove/ }).click();
  await expect(page.getByRole('button', { name: 'Keep on this device: Notes' })).toBeVisible();
  expect(await rowsOf(page, 'notevault-kept', 'vaults')).toEqual([]);
  isHeld = false;
});
