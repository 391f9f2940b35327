import { contentOf } from './kit/notes.ts';
import { expect, expectAccessible, test } from './kit/test.ts';

const state = 'save-state';

test('two browsers and a REST client edit one note, and see each other', async ({ page, alice, context }) => {
  const note = await alice.write('Together.md', '# Together\n\nfirst\n');
  const address = alice.page(`/notes/${note.id}`);
  const other = await context.newPage();
  for (const one of [page, other]) {
    await one.goto(address);
    await expect(one.locator('[data-editor-ready]')).toBeVisible();
    await expect(one.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  }
  await page.getByText('first').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('from one');
  await expect(other.getByText('from one')).toBeVisible();
  const name = other.locator('.cm-ySelectionInfo');
  await expect(name).toHaveText('Alice');
  await expect(name).toHaveCSS('opacity', '1');
  await expect(name).toHaveCSS('font-family', /Inter/);
  await other.getByText('from one').click();
  await other.keyboard.press('Control+End');
  await other.keyboard.type(' and two');
  await expect(page.getByText('from one and two')).toBeVisible();
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await alice.vault.appendToNote('Together.md', 'from REST\n');
  await expect(page.getByText('from REST')).toBeVisible();
  expect((await alice.vault.readNote('Together.md'))?.content).toContain('from one and two');
  await expectAccessible(page);
});

test('what is typed offline is kept on the device through a reload of the page, and sent later', async ({
  page,
  alice,
  context,
}) => {
  const note = await alice.write('Offline.md', 'start\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.getByText('start').click();
  await context.setOffline(true);
  await page.keyboard.press('Control+End');
  await page.keyboard.type('offline words');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  await context.setOffline(false);
  await page.reload();
  await expect(page.getByTestId('editor').getByText('offline words')).toBeVisible();
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await expect.poll(async () => (await alice.vault.readNote('Offline.md'))?.content).toBe('start\noffline words');
});

test('nothing is lost and the state line is true while the server is killed and started again', async ({
  page,
  freshServer,
}) => {
  const { signedIn } = await import('./kit/test.ts');
  const account = await signedIn(freshServer, page.context());
  const note = await account.write('Killed.md', 'start\n');
  await page.goto(account.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.getByText('start').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('before ');
  await freshServer.kill();
  await page.keyboard.type('while away ');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  await freshServer.run();
  await page.keyboard.type('after');
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved', { timeout: 45_000 });
  await expect
    .poll(async () => (await account.vault.readNote('Killed.md'))?.content)
    .toBe('start\nbefore while away after');
});

test('the text of a note that was deleted elsewhere is kept as a new note', async ({ page, alice }) => {
  const note = await alice.write('Gone.md', 'precious\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await alice.vault.deleteNote(note.id);
  await expect(page.getByTestId(state)).toHaveText('Cannot save: the note was deleted');
  await page.getByRole('button', { name: 'Keep as a new note' }).click();
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await expect(page.getByText('precious')).toBeVisible();
});

test('a link is completed, followed, and makes the note that it asks for', async ({ page, alice }) => {
  await alice.write('Target note.md', '# Target\n');
  const note = await alice.write('Links.md', 'see \n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.getByText('see').click();
  await page.keyboard.press('End');
  await page.keyboard.type('[[targ');
  await page.getByRole('option', { name: /Target note/ }).click();
  await page.keyboard.type(' and [[Brand new]]\n');
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.getByText('Brand new').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Brand new' })).toBeVisible();
  await expect.poll(() => alice.vault.readNote('Brand new.md')).not.toBeNull();
});

test('a link to a heading of the open note scrolls to it, also one with a percent sign', async ({ page, alice }) => {
  const body = 'words\n\n'.repeat(100);
  const source = `see [[#Far away]] and [[#100% done]]\n\n${body}## Far away\n\n${body}## 100% done\n\n${body}`;
  const note = await alice.write('Headings.md', source);
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  for (const heading of ['Far away', '100% done']) {
    await page.locator('.nv-link', { hasText: heading }).click();
    await expect(page.getByRole('heading', { level: 2, name: heading })).toBeInViewport();
    await page.keyboard.press('Control+Home');
    await expect(page.getByText('see', { exact: false }).first()).toBeInViewport();
  }
  await page.goto(alice.page(`/notes/${note.id}#100%`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
});

test('going back and forth between headings of a note scrolls to them', async ({ page, alice }) => {
  const body = 'words\n\n'.repeat(100);
  const note = await alice.write('Parts.md', `start\n\n${body}## Middle\n\n${body}## End\n\n${body}`);
  await page.goto(alice.page(`/notes/${note.id}#Middle`));
  const heading = (name: string) => page.getByRole('heading', { level: 2, name });
  await expect(heading('Middle')).toBeInViewport();
  await page.evaluate("location.hash = 'End'");
  await expect(heading('End')).toBeInViewport();
  await page.goBack();
  await expect(heading('Middle')).toBeInViewport();
});

test('a copy that folder sync kept is put beside its note, and is in the trash once both are one', async ({
  page,
  alice,
}) => {
  await alice.write('Beds.md', 'Peas\nin May\n');
  const copy = await alice.write('Beds (conflict Laptop 2026-11-22 14-05-09).md', 'Peas\nin June\n');
  await page.goto(alice.page(`/notes/${copy.id}`));
  await expect(page.getByText('Folder sync kept this copy of “Beds”')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Compare' }).click();
  const dialog = page.getByRole('dialog', { name: 'Beds' });
  await expect(dialog.getByRole('group', { name: 'The note' })).toContainText('in May');
  await expect(dialog.getByRole('group', { name: 'This copy' })).toContainText('in June');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Use the copy' }).click();
  await dialog.getByRole('button', { name: 'Save the text' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Beds', exact: true })).toBeVisible();
  await expect(page.locator('.cm-content')).toContainText('in June');
  await expect(page.getByRole('treeitem')).toHaveCount(1);
  expect(await contentOf(alice, 'Beds.md')).toBe('Peas\nin June\n');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('treeitem')).toHaveCount(2);
});
