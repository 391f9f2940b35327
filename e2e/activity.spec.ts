import type { Page } from '@playwright/test';
import { contentOf } from './kit/notes.ts';
import { otherBrowser, ownerOf } from './kit/others.ts';
import { expect, expectAccessible, signedIn, test } from './kit/test.ts';

const rows = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.locator('time') });

test('the owner sees who did what, and undoes it after a preview, without what others wrote since', async ({
  page,
  alice,
  server,
  context,
}) => {
  const bob = await signedIn(server, await otherBrowser(context), { name: 'Bob', vault: 'Own' });
  await alice.shareWith(bob, 'editor');
  const { id } = await alice.write('Beds.md', 'Peas and beans.\n\nWater daily.\n');
  const shared = bob.inVaultOf(alice);
  const write = (path: string, content: string) => shared.upsertNote({ path, content, mtime: 1 });
  await write('Beds.md', 'Peas and leeks.\n\nWater daily.\n');
  await write('Ours.md', 'From Bob\n');
  await alice.write('Beds.md', 'Peas and leeks.\n\nWater daily, says Alice.\n');
  await alice.write('Ours.md', 'From Bob and Alice\n');

  await page.goto(alice.page());
  await page.getByRole('button', { name: 'Switch vault: Notes' }).click();
  await page.getByRole('menuitem', { name: 'Activity' }).click();
  await expect(page.getByRole('heading', { name: 'Activity', level: 1 })).toBeVisible();
  const ofBob = rows(page).filter({ hasText: 'Bob · edited' });
  await expect(ofBob).toContainText('Ours, Beds');
  await expect(rows(page).filter({ hasText: 'Bob · joined the vault' })).toHaveCount(1);
  await ofBob.getByRole('button', { name: /^Show the changes/ }).click();
  await expect(ofBob.locator('del')).toHaveText('beans');
  await expect(ofBob.locator('ins').filter({ hasText: 'leeks' })).toHaveCount(1);
  await expectAccessible(page);

  await ofBob.getByRole('button', { name: /^Undo/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo this?' });
  await expect(dialog.getByText('This changes 1 entry. 1 of them keeps later changes.')).toBeVisible();
  await expect(dialog.locator('ins')).toHaveText('beans');
  await expect(dialog.getByRole('heading', { name: 'Left as it is: it has been changed since.' })).toBeVisible();
  await expect(dialog.getByRole('listitem').filter({ hasText: /^Ours\.md$/ })).toBeVisible();
  await expectAccessible(page);
  expect(await contentOf(alice, 'Beds.md')).toContain('leeks');
  await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('Undone, except for 1 entry')).toBeVisible();
  expect(await contentOf(alice, 'Beds.md')).toBe('Peas and beans.\n\nWater daily, says Alice.\n');
  expect(await contentOf(alice, 'Ours.md')).toBe('From Bob and Alice\n');
  await expect(ofBob.getByText('Undone', { exact: true })).toBeVisible();

  const undoing = rows(page).filter({ hasText: 'You · undid a change' });
  await undoing.getByRole('button', { name: /^Undo/ }).click();
  await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(undoing.getByText('Undone', { exact: true })).toBeVisible();
  expect(await contentOf(alice, 'Beds.md')).toBe('Peas and leeks.\n\nWater daily, says Alice.\n');

  await page.goto(alice.page(`/notes/${id}?panel=history`));
  await page.getByRole('link', { name: 'Show in Activity' }).click();
  await expect(page).toHaveURL(new RegExp(`note=${id}`));
  await expect(page.getByTitle('Show all notes')).toHaveText('Beds');
  await page.getByLabel('Person').selectOption('Bob');
  await expect(rows(page)).toHaveCount(1);
  await page.getByTitle('Show all notes').click();
  await expect(rows(page)).toHaveCount(2);
  await page.getByLabel('Kind').selectOption('Imports');
  await expect(page.getByText('Nothing matches')).toBeVisible();
  await expectAccessible(page);
});

test('editors undo what they did themselves; more is loaded on request; viewers see nothing', async ({
  page,
  alice,
  server,
  context,
}) => {
  const mira = await ownerOf(server, context);
  await mira.shareWith(alice, 'editor');
  await mira.write('Hers.md', 'Mira\n');
  const own = await alice.inVaultOf(mira).upsertNote({ path: 'Mine.md', content: 'Alice\n', mtime: 1 });
  await page.goto(mira.page('/activity'));
  await expect(rows(page).filter({ hasText: 'Hers' }).getByRole('button', { name: /^Undo/ })).toHaveCount(0);
  await rows(page).filter({ hasText: 'Mine' }).getByRole('button', { name: /^Undo/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(() => contentOf(mira, 'Mine.md')).toBe('Alice\n');

  for (let at = 0; at < 50; at++) {
    const [from, to] = at % 2 === 0 ? ['Mine.md', 'Other.md'] : ['Other.md', 'Mine.md'];
    await mira.vault.renameNote(from, to);
  }
  await page.goto(mira.page('/activity'));
  await expect(rows(page)).toHaveCount(50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(rows(page).filter({ hasText: 'Hers' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0);
  expect(await mira.vault.readNoteById(own.id)).not.toBeNull();

  await mira.setRole('Alice', 'viewer');
  await page.goto(mira.page('/activity'));
  await expect(page.getByText('Only people who can edit this vault can see this.')).toBeVisible();
  await page.getByRole('button', { name: 'Switch vault: Garden' }).click();
  await expect(page.getByRole('menuitem', { name: 'People…' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Activity' })).toHaveCount(0);
});
