import { expect, expectAccessible, test } from './kit/test.ts';

test('the tree is used by keys alone: open, rename, move to the trash, undo', async ({ page, alice }) => {
  await alice.write('Garden/Beans.md', '# Beans');
  await alice.write('Garden/Tomatoes.md', '# Tomatoes');
  await alice.write('Zebra.md', '# Zebra');
  await page.goto(alice.page());
  const tree = page.getByRole('tree');
  await tree.focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('treeitem', { name: 'Beans' })).toHaveAttribute('aria-level', '2');
  await expectAccessible(page);
  await page.keyboard.press('t');
  await page.keyboard.press('F2');
  await expect(page.getByLabel('New name')).toBeFocused();
  await page.keyboard.type('Hot/Peppers');
  await page.keyboard.press('Enter');
  await expect(page.getByText('A name cannot contain a slash.')).toBeVisible();
  await tree.focus();
  await page.keyboard.press('F2');
  await page.keyboard.type('Peppers');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('treeitem', { name: 'Peppers' })).toBeVisible();
  await expect.poll(() => alice.vault.readNote('Garden/Peppers.md')).not.toBeNull();

  await tree.focus();
  await page.keyboard.press('Delete');
  await expect(page.getByRole('treeitem', { name: 'Peppers' })).toBeHidden();
  // Until then, the last one takes back the new name.
  await expect(page.getByText('Peppers moved to the trash')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(page.getByRole('treeitem', { name: 'Peppers' })).toBeVisible();
});

test('the tree shows the open note, and leaves a folder closed that is closed after that', async ({ page, alice }) => {
  const carrots = await alice.write('Garden/Roots/Carrots.md', '# Carrots\n\nSee [[Compost]].\n');
  await alice.write('Garden/Compost.md', '# Compost');
  await page.goto(alice.page(`/notes/${carrots.id}`));
  await expect(page.getByRole('treeitem', { name: 'Carrots' })).toBeVisible();
  await page.getByRole('treeitem', { name: 'Roots' }).click();
  await expect(page.getByRole('treeitem', { name: 'Carrots' })).toBeHidden();
  await alice.write('New.md');
  await expect(page.getByRole('treeitem', { name: 'New' })).toBeVisible();
  await expect(page.getByRole('treeitem', { name: 'Carrots' })).toBeHidden();
});

test('the tree shows what other clients of the account do', async ({ page, alice }) => {
  const note = await alice.write('One.md');
  await page.goto(alice.page());
  await expect(page.getByRole('treeitem', { name: 'One' })).toBeVisible();
  await alice.write('Two.md');
  await expect(page.getByRole('treeitem', { name: 'Two' })).toBeVisible();
  await alice.vault.renameNote('One.md', 'Uno.md');
  await expect(page.getByRole('treeitem', { name: 'Uno' })).toBeVisible();
  await alice.vault.createFolder('Empty');
  await expect(page.getByRole('treeitem', { name: 'Empty' })).toBeVisible();
  await alice.vault.deleteNote(note.id);
  await expect(page.getByRole('treeitem', { name: 'Uno' })).toBeHidden();
});

test('a note stays on the page until the next one is read', async ({ page, alice }) => {
  const first = await alice.write('First.md', 'one\n');
  const second = await alice.write('Second.md', 'two\n');
  const held = Promise.withResolvers<void>();
  await page.route(`**/notes/by-id/${second.id}`, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(alice.page(`/notes/${first.id}`));
  await expect(page.getByTestId('editor').getByText('one')).toBeVisible();
  const asked = page.waitForRequest((request) => request.url().endsWith(`/notes/by-id/${second.id}`));
  await page.getByRole('treeitem', { name: 'Second' }).click();
  await asked;
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)))');
  expect(await page.getByTestId('editor').getByText('one').isVisible()).toBe(true);
  held.resolve();
  await expect(page.getByTestId('editor').getByText('two')).toBeVisible();
});
