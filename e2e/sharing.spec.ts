import type { Download } from '@playwright/test';
import { keptLists, rowsOf } from './kit/device.ts';
import { contentOf, openNote, typeAtEnd } from './kit/notes.ts';
import { openSharing, otherBrowser, ownerOf } from './kit/others.ts';
import { expect, expectAccessible, fillAccount, signedIn, test } from './kit/test.ts';

test('a viewer finds a shared vault with whose it is, and reads it without anything that would change it', async ({
  page,
  alice,
  server,
  context,
}) => {
  const mira = await ownerOf(server, context);
  await mira.write('Beds.md', 'Peas\n\n- [ ] Sow peas\n\n#kitchen\n');
  await mira.shareWith(alice, 'viewer');
  await page.goto(alice.page());
  await page.getByRole('button', { name: 'Switch vault: Notes' }).click();
  await page.getByRole('menuitemradio', { name: 'Garden Mira · can read' }).click();
  await expect(page.getByRole('treeitem', { name: 'Beds' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'New note' })).toHaveCount(0);
  await openNote(page, 'Beds');
  await expect(page.getByText('You can read this vault, but not change it.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Share', exact: true })).toHaveCount(0);
  await expect(page.locator('.cm-content')).toHaveAttribute('aria-readonly', 'true');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'More about the note' }).click();
  await expect(page.getByRole('menuitem', { name: 'Copy link' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: /Rename|Move|Duplicate/ })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('treeitem', { name: 'Beds' }).click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Copy path' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: /Rename|Move|New note/ })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+P');
  await page.getByRole('combobox', { name: 'What do you want to do?' }).fill('note');
  await expect(
    page
      .getByRole('option', { name: 'Copy link' })
      .or(page.getByRole('option', { name: 'Print the note' }))
      .first(),
  ).toBeVisible();
  await expect(page.getByRole('option', { name: 'New note' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.goto(mira.page('/tasks'));
  await expect(page.getByRole('checkbox', { name: 'Sow peas' })).toBeDisabled();
  await page.goto(mira.page('/tags?tag=kitchen'));
  await expect(page.getByRole('heading', { level: 1, name: '#kitchen' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Rename…' })).toHaveCount(0);
  for (const path of ['/trash', '/replace', '/import']) {
    await page.goto(mira.page(path));
    await expect(page.getByText('Only people who can edit this vault can see this.')).toBeVisible();
  }
  await page.goto(`${alice.url}/settings/vaults`);
  const row = page.getByRole('listitem').filter({ hasText: 'Garden' });
  await expect(row.getByText('Mira · can read')).toBeVisible();
  await expect(row.getByRole('button', { name: /Delete|Edit|default/ })).toHaveCount(0);
});

test('two people meet in a vault that was shared by a link, and one is removed while typing', async ({
  page,
  alice,
  context,
}) => {
  const note = await alice.write('Plans.md', 'Plans\n');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(alice.page(`/notes/${note.id}`));
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Share “Notes”' });
  await expect(dialog.getByText('Alice (you)')).toBeVisible();
  // One field and one role.
  await expect(dialog.getByRole('textbox')).toHaveCount(1);
  await expect(dialog.getByRole('combobox')).toHaveCount(1);
  await expect(dialog.getByText('Invitation link for one person, for 7 days')).toBeVisible();
  await dialog.getByRole('button', { name: 'Copy link' }).click();
  const link = await dialog.getByTestId('invitation').innerText();
  await expect(dialog.getByText(/^The link is in your clipboard/)).toBeVisible();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link);
  await expect(dialog.getByText('Anyone with the link', { exact: true })).toBeVisible();
  await expect(dialog.getByRole('img', { name: 'The link as a QR code' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Copy', exact: true })).toBeVisible();
  await expectAccessible(page);

  const browser = await otherBrowser(context);
  const other = await browser.newPage();
  const asked: string[] = [];
  const [, token = ''] = link.split('#');
  other.on('request', (request) => asked.push(request.url()));
  await other.goto(link);
  await expect(other.getByRole('heading', { name: 'Alice invites you' })).toBeVisible();
  await expect(other.getByText(/To the vault “Notes”, which you can then edit/)).toBeVisible();
  await expect(other).toHaveURL(`${alice.url}/invite`);
  await expectAccessible(other);
  await other.getByRole('button', { name: 'Create account' }).click();
  await fillAccount(other, 'Bela', `bela-${note.id}@example.org`);
  await other.getByRole('button', { name: 'Create account' }).click();
  await expect(other.getByRole('treeitem', { name: 'Plans' })).toBeVisible();
  expect(asked.filter((url) => url.includes(token) && !url.startsWith(`${alice.url}/api/invitations/`))).toEqual([]);

  await openNote(other, 'Plans');
  await expect(dialog.getByText('Bela', { exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await typeAtEnd(page, 'from Alice ');
  await expect(other.getByText('from Alice')).toBeVisible();
  await typeAtEnd(other, 'from Bela');
  await expect(page.getByText('from Alice from Bela')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Here too: Bela' })).toBeVisible();
  await expect(other.getByRole('button', { name: 'Here too: Alice' })).toBeVisible();
  await expect(other.locator('.cm-ySelectionInfo', { hasText: 'Alice' })).toHaveCount(1);

  await openSharing(page, 'Notes');
  await dialog.getByRole('button', { name: 'More about Bela' }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  await expect(page.getByText(/Copies on their own devices stay/)).toBeVisible();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(other.getByRole('heading', { name: 'You no longer have access to this vault' })).toBeVisible();
  await expectAccessible(other);
  await expect.poll(() => rowsOf(other, 'notevault-notes', 'copies')).toEqual([]);
  await expect.poll(() => keptLists(other)).toEqual(['me', 'preferences', 'vaults']);
  await expect(dialog.getByText('Bela', { exact: true })).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await typeAtEnd(page, ' still here');
  await expect.poll(() => contentOf(alice, 'Plans.md')).toBe('Plans\nfrom Alice from Bela still here');
});

test('an invitation for an e-mail is made with one field, and names the role that was chosen', async ({
  page,
  alice,
}) => {
  await page.goto(alice.page());
  await openSharing(page, 'Notes');
  const dialog = page.getByRole('dialog', { name: 'Share “Notes”' });
  await dialog.getByRole('textbox', { name: 'E-mail of the person' }).fill('mira@example.org');
  await dialog.getByRole('combobox', { name: 'Role' }).selectOption('Can read');
  await dialog.getByRole('button', { name: 'Invite' }).click();
  await expect(dialog.getByText('Send this link to mira@example.org. It is not shown again.')).toBeVisible();
  await expect(dialog.getByRole('listitem').filter({ hasText: 'mira@example.org' })).toContainText('Can read · until');
  await expect(dialog.getByRole('textbox')).toHaveValue('');
  await expectAccessible(page);
});

test('a role lowered while typing makes the editor read-only, and the writer keeps unsent edits', async ({
  page,
  alice,
  server,
  context,
}) => {
  const mira = await ownerOf(server, context);
  const note = await mira.write('Beds.md', 'Peas\n');
  await mira.shareWith(alice, 'editor');
  await page.goto(mira.page(`/notes/${note.id}`));
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  await typeAtEnd(page, 'sent ');
  await expect.poll(() => contentOf(mira, 'Beds.md')).toBe('Peas\nsent ');
  await context.setOffline(true);
  await typeAtEnd(page, 'not sent');
  await expect(page.getByTestId('save-state')).toHaveText('Offline – kept on this device');
  await mira.setRole('Alice', 'viewer');
  await context.setOffline(false);
  await expect(page.getByText('You can now only read this vault.')).toBeVisible();
  await expect(page.locator('.cm-content')).toHaveAttribute('aria-readonly', 'true');
  await expect(page.getByTestId('save-state')).toHaveText('Your last edits are not in the note');
  await expect(page.getByRole('button', { name: 'Copy text' })).toBeVisible();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as a file' }).click();
  expect(await textOf(await saved)).toBe('Peas\nsent not sent');
  await expect(page.getByRole('button', { name: 'Keep as a new note' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'New note' })).toHaveCount(0);
  await page.getByTestId('unsent').click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download: Beds' }).click();
  expect(await textOf(await download)).toBe('Peas\nsent not sent');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  // What the server does not take is set aside on demand, listed as such, and brought back.
  const badge = page.getByTestId('unsent');
  const editor = page.locator('.cm-content');
  const stash = page.getByRole('button', { name: 'Show the server’s note' });
  await stash.click();
  await expect(badge).toHaveText('1 text set aside');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(editor).toContainText('sent not sent');
  await expect(page.getByTestId('save-state')).toHaveText('Your last edits are not in the note');
  await stash.click();
  await expect(badge).toHaveText('1 text set aside');
  await expect(editor).not.toContainText('not sent');
  await badge.click();
  await expect(page.getByRole('dialog')).toContainText('set aside, not sent');
  await expectAccessible(page);
  expect(await contentOf(mira, 'Beds.md')).toBe('Peas\nsent ');
});

test('keys that write do nothing, and do not scroll the page, after a role was lowered while typing', async ({
  page,
  alice,
  server,
  context,
}) => {
  const mira = await ownerOf(server, context);
  const note = await mira.write('Beds.md', '- Peas\n'.repeat(60));
  await mira.shareWith(alice, 'editor');
  await page.goto(mira.page(`/notes/${note.id}`));
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  const text = page.locator('.cm-content');
  await text.getByText('Peas').first().click();
  await page.keyboard.type('Sow ');
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  await mira.setRole('Alice', 'viewer');
  await expect(page.getByText('You can now only read this vault.')).toBeVisible();
  await expect(text).toBeFocused();
  const lines = await text.innerText();
  for (const key of ['Space', 'Space', 'x', 'Enter', 'Backspace', 'Space']) await page.keyboard.press(key);
  expect(await text.innerText()).toBe(lines);
  expect(await page.locator('.cm-scroller').evaluate((node) => Reflect.get(node, 'scrollTop'))).toBe(0);
  await mira.setRole('Alice', 'editor');
  await expect(page.getByText('You can now only read this vault.')).toHaveCount(0);
  await expect(text).not.toHaveAttribute('aria-readonly');
  await page.keyboard.type('again');
  await expect(text).toContainText('again');
  await expect.poll(() => contentOf(mira, 'Beds.md')).toContain('again');
});

test('a person without a name is shown as such, and asked for one when they accept an invitation', async ({
  page,
  alice,
  server,
  context,
}) => {
  const note = await alice.write('Plans.md', 'Plans\n');
  const browser = await otherBrowser(context);
  const bob = await signedIn(server, browser, { name: null, vault: 'Own' });
  await alice.shareWith(bob, 'editor');
  await page.goto(alice.page(`/notes/${note.id}`));
  const other = await browser.newPage();
  await other.goto(alice.page(`/notes/${note.id}`));
  await typeAtEnd(other, 'from Bob');
  await expect(page.getByRole('button', { name: 'Here too: No name' })).toBeVisible();
  await openSharing(page, 'Notes');
  const dialog = page.getByRole('dialog', { name: 'Share “Notes”' });
  const row = dialog.getByRole('listitem').filter({ hasText: 'No name' });
  await expect(row).toContainText(bob.email);
  await expect(row.getByRole('button', { name: `More about ${bob.email}` })).toBeVisible();

  await other.goto(await alice.invite('editor'));
  await expect(other.getByLabel('Your name')).toBeVisible();
  await expectAccessible(other);
  await other.getByRole('button', { name: 'Open the vault' }).click();
  await expect(other.getByLabel('Your name')).toBeFocused();
  await other.getByLabel('Your name').fill('Bob');
  await other.getByRole('button', { name: 'Open the vault' }).click();
  await expect(other.getByRole('treeitem', { name: 'Plans' })).toBeVisible();
  await page.reload();
  await openSharing(page, 'Notes');
  await expect(dialog.getByRole('listitem').filter({ hasText: bob.email })).toContainText('Bob');
});

test('an invitation that is dead says so, and leads to the sign-in', async ({ page, server }) => {
  await page.goto(`${server.url}/invite#nobody-made-this`);
  await expect(page.getByRole('heading', { name: 'This invitation is not valid any more' })).toBeVisible();
  await page.getByRole('button', { name: 'Go to sign-in' }).click();
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
});

async function textOf(download: Download): Promise<string> {
  let text = '';
  for await (const part of await download.createReadStream()) text += part;
  return text;
}
