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
