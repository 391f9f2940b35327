import { keptLists, rowsOf } from './kit/device.ts';
import { contentOf, openNote, typeAtEnd } from './kit/notes.ts';
import { openSharing, otherBrowser, ownerOf } from './kit/others.ts';
import { expect, expectAccessible, fillAccount, signedIn, test } from './kit/test.ts';

test('an invitation that is dead, or for another e-mail, says so to everybody and leads on', async ({
  page,
  alice,
  server,
  context,
}) => {
  const browser = await otherBrowser(context);
  const mira = await signedIn(server, browser, { name: 'Mira', vault: 'Garden' });
  const link = await mira.invite('editor');
  await page.goto(link);
  await page.getByRole('button', { name: 'Open the vault' }).click();
  await expect(page.getByRole('button', { name: 'Switch vault: Garden' })).toBeVisible();
  // Again, it leads its member to the vault. To everybody else it is used up.
  await page.goto(link);
  await expect(page.getByRole('button', { name: 'Switch vault: Garden' })).toBeVisible();
  for (const dead of [link, `${alice.url}/invite#nobody-made-this`]) {
    const nobody = await otherBrowser(context);
    const stranger = await nobody.newPage();
    await stranger.goto(dead);
    await expect(stranger.getByRole('heading', { name: 'This invitation is not valid any more' })).toBeVisible();
    await expectAccessible(stranger);
    await stranger.getByRole('button', { name: 'Go to sign-in' }).click();
    await expect(stranger.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
    await nobody.close();
  }
  await page.goto(`${alice.url}/invite#nobody-made-this`);
  await expect(page.getByRole('heading', { name: 'This invitation is not valid any more' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Go to your notes' }).click();
  await expect(page.getByRole('button', { name: /^Switch vault/ })).toBeVisible();
  await page.goto(await mira.invite('viewer', { email: 'somebody@example.org' }));
  await page.getByRole('button', { name: 'Open the vault' }).click();
  await expect(page.getByRole('heading', { name: 'This invitation is for another e-mail' })).toBeVisible();
  await expectAccessible(page);
});

test('where only invited people may register, an admin’s invitation makes an account in the vault', async ({
  page,
  freshServer,
  context,
}) => {
  const admin = await signedIn(freshServer, await otherBrowser(context), { name: 'Mira', vault: 'Garden' });
  await admin.write('Beds.md', 'Peas\n');
  await page.goto(freshServer.url);
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
  await page.goto(await admin.invite('editor'));
  await expect(page.getByRole('heading', { name: 'Mira invites you' })).toBeVisible();
  await page.getByRole('button', { name: 'Create account' }).click();
  await fillAccount(page, 'Bela', 'bela@example.org');
  await page.getByRole('button', { name: 'Create account' }).click();
  await openNote(page, 'Beds');
  await typeAtEnd(page, 'Beans');
  await expect.poll(() => contentOf(admin, 'Beds.md')).toBe('Peas\nBeans');
  await expect(page.getByRole('button', { name: 'Switch vault: Garden' })).toBeVisible();
});

test('[S10] a person removed while offline finds the vault gone, and its copies but for unsent edits', async ({
  page,
  alice,
  server,
  context,
}) => {
  const mira = await ownerOf(server, context);
  const note = await mira.write('Beds.md', 'Peas\n');
  const read = await mira.write('Tools.md', 'A saw\n');
  await mira.shareWith(alice, 'editor');
  const copied = async () =>
    (await rowsOf<{ path: string }>(page, 'notevault-notes', 'copies')).map(({ path }) => path);
  for (const [{ id }, paths] of [
    [read, ['Tools.md']],
    [note, ['Beds.md', 'Tools.md']],
  ] as const) {
    await page.goto(mira.page(`/notes/${id}`));
    await expect.poll(async () => (await copied()).sort()).toEqual(paths);
  }
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  await context.setOffline(true);
  await typeAtEnd(page, 'not sent');
  await expect(page.getByTestId('save-state')).toHaveText('Offline – kept on this device');
  await mira.setRole('Alice');
  await context.setOffline(false);
  await expect(page.getByRole('heading', { name: 'You no longer have access to this vault' })).toBeVisible();
  await expect.poll(() => keptLists(page)).toEqual(['me', 'preferences', 'vaults']);
  // What was typed stays in the list of unsent edits, to be downloaded.
  await expect.poll(copied).toEqual(['Beds.md']);
  expect(await contentOf(mira, 'Beds.md')).toBe('Peas\n');
  await page.getByTestId('unsent').click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download: Beds' }).click();
  const stream = await (await download).createReadStream();
  let text = '';
  for await (const part of stream) text += part;
  expect(text).toBe('Peas\nnot sent');
});

test('the owner hands a vault over, and then leaves it', async ({ page, alice, server, context }) => {
  const note = await alice.write('Plans.md', 'Plans\n');
  const browser = await otherBrowser(context);
  const mira = await signedIn(server, browser, { name: 'Mira', vault: 'Garden' });
  await alice.shareWith(mira, 'editor');
  const other = await browser.newPage();
  await other.goto(alice.page());
  await openSharing(other, 'Notes');
  const theirs = other.getByRole('dialog');
  await expect(theirs).toContainText('Alice shares this vault with you.');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  await openSharing(page, 'Notes');
  const dialog = page.getByRole('dialog', { name: /“Notes”/ });
  // The owner cannot go before somebody else is the owner.
  await expect(dialog.getByRole('button', { name: 'Leave the vault' })).toHaveCount(0);
  await dialog.getByRole('button', { name: 'More about Mira' }).click();
  await page.getByRole('menuitem', { name: 'Make them the owner…' }).click();
  await expect(page.getByText(/^Then only Mira can invite and remove people/)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Hand over' }).click();
  await expect(page.getByText('The vault is Mira’s now')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Copy link' })).toHaveCount(0);
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Mira' })).toContainText('Owner');
  await dialog.getByRole('button', { name: 'Leave the vault' }).click();
  await expect(page.getByText(/To come back, you need another invitation/)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('dialog', { name: 'Leave “Notes”?' }).getByRole('button', { name: 'Leave the vault' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Vaults' })).toBeVisible();
  await expect(page.getByText('Notes', { exact: true })).toHaveCount(0);
  await expect.poll(() => rowsOf(page, 'notevault-notes', 'copies')).toEqual([]);
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByText('Plans', { exact: true })).toHaveCount(0);
  // Who has it now finds it among their own.
  await theirs.getByRole('button', { name: 'Close' }).click();
  await other.reload();
  await openSharing(other, 'Notes');
  await expect(theirs.getByRole('button', { name: 'Copy link' })).toBeVisible();
  await expect(theirs.getByText('Alice', { exact: true })).toHaveCount(0);
  await theirs.getByRole('button', { name: 'Close' }).click();
  await openNote(other, 'Plans');
  await typeAtEnd(other, 'go on');
  await expect(other.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
});
