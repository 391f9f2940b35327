import { contentOf, titleOf } from './kit/notes.ts';
import { expect, test } from './kit/test.ts';

const state = 'save-state';

/** Pastes a picture of one point. */
const PASTE = `(() => {
  const base64 =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([bytes], 'pixel.png', { type: 'image/png' }));
  const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  document.querySelector('.cm-content').dispatchEvent(paste);
})()`;

test('a new note is named first, and its text has the focus after that and after the palette was closed', async ({
  page,
  alice,
}) => {
  await page.goto(alice.page());
  await page.getByRole('button', { name: 'New note', exact: true }).click();
  await expect(titleOf(page)).toBeFocused();
  await page.keyboard.type('Beans');
  await page.keyboard.press('Enter');
  await expect(page.locator('.cm-content')).toBeFocused();
  await page.keyboard.type('sow in May');
  await expect(page.locator('.cm-content')).toHaveText('sow in May');
  await expect(titleOf(page)).toHaveValue('Beans');
  await expect(page.getByRole('treeitem')).toHaveText(['Beans']);
  await page.keyboard.press('Control+Shift+P');
  await expect(page.getByRole('combobox')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('combobox')).toHaveCount(0);
  await expect(page.locator('.cm-content')).toBeFocused();
  await page.keyboard.press('Control+Shift+P');
  await page.keyboard.type('hide the list');
  await expect(page.getByRole('option', { name: 'Show or hide the list of notes' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox')).toHaveCount(0);
  await expect(page.locator('.cm-content')).toBeFocused();
});

test('a new note that comes to the server while the palette is open has the focus after it', async ({
  page,
  alice,
}) => {
  await page.goto(alice.page());
  let isOpen = () => {};
  const opened = new Promise<void>((resolve) => {
    isOpen = resolve;
  });
  await page.route('**/api/notes', (route) => opened.then(() => route.continue()));
  await page.getByRole('button', { name: 'New note', exact: true }).click();
  await expect(titleOf(page)).toBeFocused();
  await page.keyboard.press('Enter');
  const text = page.locator('.cm-content');
  await expect(text).toBeFocused();
  const draft = await text.elementHandle();
  await page.keyboard.press('Control+Shift+P');
  await expect(page.getByRole('combobox')).toBeFocused();
  isOpen();
  // The text of the draft makes place for that of the note.
  await expect.poll(() => draft?.evaluate((element) => Reflect.get(element, 'isConnected'))).toBe(false);
  await expect(text).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(text).toBeFocused();
});

test('a new note without a name keeps its own', async ({ page, alice }) => {
  await page.goto(alice.page());
  await page.getByRole('button', { name: 'New note', exact: true }).click();
  await expect(titleOf(page)).toBeFocused();
  await page.keyboard.press('Backspace');
  await expect(titleOf(page)).toHaveValue('');
  await page.keyboard.press('Enter');
  await expect(page.locator('.cm-content')).toBeFocused();
  await expect(titleOf(page)).toHaveValue('Untitled');
  await page.keyboard.press('Alt+n');
  await expect(titleOf(page)).toHaveValue('Untitled 2');
  await expect(titleOf(page)).toBeFocused();
  await page.keyboard.type('not this');
  await page.keyboard.press('Escape');
  await expect(titleOf(page)).toHaveValue('Untitled 2');
  await expect(page.getByRole('treeitem')).toHaveText(['Untitled', 'Untitled 2']);
});

test('a name that is being typed while the note comes to the server is gone on with', async ({ page, alice }) => {
  await page.goto(alice.page());
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/api/notes', (route) => promise.then(() => route.continue()));
  await page.getByRole('button', { name: 'New note', exact: true }).click();
  await expect(titleOf(page)).toBeFocused();
  await page.keyboard.type('Bea');
  const draft = await titleOf(page).elementHandle();
  resolve();
  await expect.poll(() => draft?.evaluate((element) => Reflect.get(element, 'isConnected'))).toBe(false);
  await expect(titleOf(page)).toBeFocused();
  await page.keyboard.type('ns');
  await page.keyboard.press('Enter');
  await expect(page.locator('.cm-content')).toBeFocused();
  await expect(page.getByRole('treeitem')).toHaveText(['Beans']);
});

test('Enter on the empty second item ends a list of one', async ({ page, alice }) => {
  const note = await alice.write('List.md', 'before\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('- one\n\nafter');
  await expect.poll(async () => (await alice.vault.readNote('List.md'))?.content).toBe('before\n- one\nafter');
});

test('the open note is left when its reader deletes it', async ({ page, alice }) => {
  const note = await alice.write('Doomed.md', 'text\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.getByRole('treeitem', { name: 'Doomed' }).click();
  await page.keyboard.press('Delete');
  await expect(page.getByText('Doomed moved to the trash')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: /^Good / })).toBeVisible();
  await expect(page.getByText('Cannot save')).toHaveCount(0);
});

test('a note is called at its head as in the tree', async ({ page, alice }) => {
  const note = await alice.write('Beds.md', '---\ntitle: Raised beds\n---\n# Something else\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByRole('main').locator('h1')).toHaveText('Beds');
  await expect(page).toHaveTitle('Beds · Notevault');
});

test('a pasted picture has the cursor behind it, and one that is refused says why', async ({ page, alice }) => {
  const note = await alice.write('Picture.md', 'see \n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.evaluate(PASTE);
  await expect.poll(async () => (await alice.vault.readNote('Picture.md'))?.content).toContain('pixel.png]]');
  await page.keyboard.type('behind');
  await expect.poll(async () => (await alice.vault.readNote('Picture.md'))?.content).toMatch(/pixel\.png\]\]behind$/);
  // Both ways to upload a file: with a ticket, and what waits.
  await page.route(/\/api\/(tickets|attachments)(\/|$)/, (route) =>
    route.request().method() === 'GET'
      ? route.fallback()
      : route.fulfill({ status: 507, contentType: 'application/json', body: '{"error":"storage_full"}' }),
  );
  await page.evaluate(PASTE);
  await expect(page.getByText('Upload failed: pixel.png. The disk of the server is full.')).toBeVisible();
  // It is not lost.
  await page.getByTestId('unsent').click();
  const listed = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'pixel' });
  await expect(listed).toContainText('The disk of the server is full.');
});

test('the search and a block show as many notes as one wants, and say that there are more', async ({ page, alice }) => {
  await alice.write('Few.md', 'pear\n');
  for (let at = 0; at < 51; at++) await alice.write(`Many ${at}.md`, 'apple\n');
  await expect(async () => {
    await page.goto(alice.page('/search?q=pear&mode=keyword'));
    await expect(page.getByText('1 note found')).toBeVisible({ timeout: 2_000 });
    await page.goto(alice.page('/search?q=apple&mode=keyword'));
    await expect(page.getByText('The 50 best matches; there may be more')).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(page.getByText('51 notes found')).toBeVisible();
  await page.getByRole('combobox', { name: 'Order' }).selectOption('By name');
  await expect(page).toHaveURL(/sort=name/);
  await expect(page.getByRole('main').getByRole('listitem').first()).toContainText('Many 0');
  await expect(page.getByRole('main').getByRole('listitem').nth(2)).toContainText('Many 2');

  // So do the notes of a block.
  const { id } = await alice.write(
    'All.md',
    '```query\nview: list\nwhere: file.name contains Many\nsort: file.name\n```\n',
  );
  await page.goto(alice.page(`/notes/${id}`));
  const list = page.locator('.nv-query');
  await expect(list.getByText('50 of 51 notes')).toBeVisible();
  await list.getByRole('button', { name: 'Show more' }).click();
  await expect(list.getByText('51 of 51 notes')).toBeVisible();
  await expect(list.locator('li')).toHaveCount(51);
});

test('the history says who wrote: the reader in the web app', async ({ page, alice }) => {
  const note = await alice.write('Past.md', 'first\n');
  await page.goto(alice.page(`/notes/${note.id}?panel=history`));
  const history = page.getByRole('complementary', { name: 'History' });
  await expect(history.getByRole('listitem').first()).toContainText('You, in a browser');
  await expect(history).not.toContainText('Session');
});

test('a form that is submitted twice at once makes one token', async ({ page, alice }) => {
  await page.goto(`${alice.url}/settings/connections`);
  await page.getByLabel('What it is for').fill('Backup script');
  await page.getByRole('combobox', { name: 'Notes', exact: true }).selectOption('read');
  await page.evaluate("for (const _ of [1, 2]) document.querySelector('form').requestSubmit()");
  await expect(page.getByText(/^nv_pat_/)).toBeVisible();
  await page.reload();
  await expect(page.getByText('Backup script')).toHaveCount(1);
});

test('a new token reaches no vault that was not chosen, and needs one', async ({ page, alice }) => {
  await page.goto(`${alice.url}/settings/connections`);
  const level = page.getByRole('combobox', { name: 'Notes' });
  await expect(level).toHaveValue('none');
  await page.getByLabel('What it is for').fill('script');
  await page.getByRole('button', { name: 'Create token' }).click();
  await expect(page.getByText('Choose at least one vault')).toBeVisible();
});

for (const held of [['note-editor'], ['note-editor', 'dialogs']]) {
  test(`what is typed behind Ctrl K while a note opens is for the finder, held: ${held}`, async ({ page, alice }) => {
    const releases = new Map<string, () => void>();
    for (const name of held) {
      const { promise, resolve } = Promise.withResolvers<void>();
      releases.set(name, resolve);
      await page.route(`**/assets/${name}-*.js`, async (route) => {
        await promise;
        await route.continue();
      });
    }
    await page.goto(alice.page());
    await page.getByRole('button', { name: 'New note', exact: true }).waitFor();
    await page.keyboard.press('Alt+n');
    await expect(page).toHaveURL(/\/notes\//);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').or(page.locator('[data-dialog-opening]')).waitFor();
    await page.keyboard.type('so');
    releases.get('note-editor')?.();
    await page.locator('[data-editor-ready]').waitFor();
    await page.keyboard.type('il');
    releases.get('dialogs')?.();
    await expect(page.getByRole('combobox')).toHaveValue('soil');
    await page.keyboard.press('Escape');
    await expect(titleOf(page)).toBeFocused();
    expect(await contentOf(alice, 'Untitled.md')).toBe('');
  });
}
