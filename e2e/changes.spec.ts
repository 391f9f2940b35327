import { expect, expectAccessible, test } from './kit/test.ts';

test('a tag is renamed in all notes after a preview, with those nested in it', async ({ page, alice }) => {
  const { id } = await alice.write('Beds.md', '---\ntags: [plan]\n---\nPeas #plan/2027 and #planet');
  await page.goto(alice.page('/tags'));
  await expect(page.getByRole('heading', { name: 'Tags', level: 1 })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: '#plan/2027 1' }).click();
  await expect(page.getByRole('heading', { name: '#plan/2027', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: '#plan 1', exact: true }).click();
  await page.getByRole('button', { name: 'Rename…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('New name').fill('project');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText('2 places in 1 note')).toBeVisible();
  await expect(dialog.locator('ins')).toHaveText(['project', 'project']);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Rename in 1 note' }).click();
  await expect(page.getByRole('heading', { name: '#project', level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: '#project/2027 1' })).toBeVisible();
  expect((await alice.vault.readNoteById(id))?.content).toBe(
    '---\ntags: [project]\n---\nPeas #project/2027 and #planet',
  );
});

test('a text is replaced in the vault by keys; what changed meanwhile is shown again first', async ({
  page,
  alice,
}) => {
  const { id } = await alice.write('Garden/Beds.md', 'Beans here, beans there.');
  await alice.write('Kitchen.md', 'Beans for supper.');
  await page.goto(alice.page('/search?q=Beans'));
  await page.getByRole('link', { name: 'Replace in the vault…' }).click();
  await expect(page.getByLabel('Text to replace')).toHaveValue('Beans');
  await expect(page.getByLabel('Text to replace')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.type('Peas');
  await page.keyboard.press('Enter');
  await expect(page.getByText('2 places in 2 notes')).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Folder', { exact: true }).selectOption('Garden');
  await page.getByLabel('Match case').uncheck();
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await expect(page.getByText('2 places in 1 note')).toBeVisible();
  await alice.write('Garden/Beds.md', 'Beans here, beans there, beans.');
  await page.getByRole('button', { name: 'Replace in 1 note' }).click();
  await expect(page.getByRole('alert')).toContainText('A note was edited meanwhile');
  await expect(page.getByText('3 places in 1 note')).toBeVisible();
  await page.getByRole('button', { name: 'Replace in 1 note' }).click();
  await expect(page.getByText('Replaced in 1 note.')).toBeVisible();
  expect((await alice.vault.readNoteById(id))?.content).toBe('Peas here, Peas there, Peas.');
});
