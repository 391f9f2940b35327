import { PAYLOADS } from '../packages/note-html/test/payloads.ts';
import { openNote } from './kit/notes.ts';
import { otherBrowser } from './kit/others.ts';
import { expect, expectAccessible, test } from './kit/test.ts';

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('a note is shared by a public link with a password, read without an account, and the link ended', async ({
  page,
  alice,
  context,
}) => {
  await alice.vault.putAttachment('Files/pixel.png', { bytes: () => PNG, mtime: 1 });
  await alice.vault.putAttachment('Files/list.txt', { bytes: () => 'eggs', mtime: 1 });
  await alice.write('Picnic.md', 'Bring **bread**.\n\n![[pixel.png]]\n\n[[list.txt]]\n');
  await page.goto(alice.page());
  await openNote(page, 'Picnic');
  await page.getByRole('button', { name: 'More about the note' }).click();
  await page.getByRole('menuitem', { name: 'Public link…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Public link to “Picnic”' });
  await dialog.getByLabel('Expires').selectOption('In 7 days');
  await dialog.getByLabel('Password').fill('basket');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const url = await dialog.getByTestId('public-link').innerText();
  await expect(dialog.getByRole('button', { name: 'Copy link' })).toBeVisible();
  await expect(dialog.getByRole('img', { name: 'The link as a QR code' })).toBeVisible();
  await expect(dialog.getByText(/never opened · until .* · with a password/)).toBeVisible();
  await expectAccessible(page);

  await dialog.getByRole('button', { name: 'Create link' }).click();
  await dialog
    .getByRole('button', { name: /^End the public link/ })
    .nth(1)
    .click();
  await expect(dialog.getByTestId('public-link'), 'the address of an ended link').toHaveCount(0);

  await using others = await otherBrowser(context);
  const reader = await others.newPage();
  await reader.goto(url);
  await expect(reader.getByText('Bring')).toHaveCount(0);
  await reader.getByLabel('Password').fill('wrong');
  await reader.getByRole('button', { name: 'Open' }).click();
  await expect(reader.getByRole('alert')).toHaveText('The password is wrong.');
  await reader.getByLabel('Password').fill('basket');
  await reader.getByRole('button', { name: 'Open' }).click();
  await expect(reader.getByRole('heading', { level: 1, name: 'Picnic' })).toBeVisible();
  await expect(reader.locator('img')).toHaveJSProperty('naturalWidth', 1);
  const downloading = reader.waitForEvent('download');
  await reader.getByRole('link', { name: 'list.txt' }).click();
  expect((await downloading).suggestedFilename()).toBe('list.txt');

  await page.goto(`${alice.url}/settings/vaults`);
  await page.getByRole('button', { name: 'Public links: Notes' }).click();
  const links = page.getByRole('dialog', { name: 'Public links' });
  await expect(links.getByText(/Picnic\.md/)).toBeVisible();
  await expect(links.getByText(/last opened/)).toBeVisible();
  await links.getByRole('button', { name: /^End the public link/ }).click();
  await expect(links.getByText('This vault has no public links.')).toBeVisible();
  expect((await reader.reload())?.status()).toBe(404);
  await expect(reader.getByRole('heading', { name: 'This page does not exist' })).toBeVisible();
});

test('the public page of a folder leads to its notes, and none of the hostile ones runs a script', async ({
  page,
  alice,
}) => {
  await alice.write('Site/Start.md', 'See [[Payload 0]] and [[Elsewhere]].\n');
  await alice.write('Elsewhere.md', 'hidden\n');
  for (const [i, payload] of PAYLOADS.entries()) await alice.write(`Site/Payload ${i}.md`, `${payload}\n`);
  await page.goto(alice.page());
  await page.getByRole('treeitem', { name: 'Site' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Public link…' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  const url = await page.getByTestId('public-link').innerText();
  await page.goto(url);
  await page.getByRole('link', { name: 'Start' }).click();
  await expect(page.getByRole('link', { name: 'Elsewhere' })).toHaveCount(0);
  await page.getByRole('main').getByRole('link', { name: 'Payload 0' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Payload 0' })).toBeVisible();
  await page.goto(url);
  const hrefs = await page.getByRole('link').evaluateAll((found) =>
    // The page has no types of the browser's here.
    found.map((link) => (link as unknown as { href: string }).href),
  );
  // Beside them stands the note that leads to the first.
  expect(hrefs).toHaveLength(PAYLOADS.length + 1);
  // Without its policy, a page has nothing but its own HTML to keep scripts out.
  await page.route('**/s/**', async (route) => {
    const response = await route.fetch();
    const { 'content-security-policy': _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await page.goto(url);
  // With its policy the page runs no script at all, not even that of this check.
  await expectAccessible(page);
  for (const href of hrefs) {
    await page.goto(href);
    expect(await page.evaluate('window.pwned'), href).toBe(undefined);
  }
});
