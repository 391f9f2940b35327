import { expect, expectAccessible, test } from './kit/test.ts';

test('notes are found by keys, by search with highlights, and by tags', async ({ page, alice }) => {
  await alice.write('Garden/Beans.md', '# Beans\n\nSow them after the last frost. #spring\n');
  await alice.write(
    'Kitchen/Soup.md',
    '---\naliases: [Vichyssoise]\n---\n# Soup\n\nLeeks.\n\n## Cold days\n\nServed.\n',
  );
  await page.goto(alice.page());
  await expect(page.getByRole('tree')).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('sou');
  await expect(page.getByRole('option', { name: /^Soup/ })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle(/Soup/);

  await expect(page.locator('.cm-content')).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('vichy');
  await expect(page.getByRole('option', { name: /^Vichyssoise.*Soup/ })).toBeVisible();
  await page.keyboard.press('Escape');

  // A word of a text opens its note; it does not create a note of this name.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('frosts');
  await expect(page.getByRole('group', { name: 'In the text' }).getByRole('option')).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle(/Beans/);

  await page.keyboard.press('Control+Shift+F');
  await page.getByRole('searchbox').fill('frosts');
  await expect(page.locator('mark')).toHaveText('frost');
  await expect(page).toHaveURL(/q=frosts/);
  await expectAccessible(page);
  await page.getByRole('link', { name: /^Beans/ }).click();
  await expect(page.locator('.nv-found')).toHaveText('frost');
  await expect(page.locator('.cm-content')).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('cold days');
  await page.getByRole('group', { name: 'Headings' }).getByRole('option', { name: 'Cold days Soup' }).click();
  await expect(page).toHaveURL(/#Cold/);
  await page.getByRole('link', { name: 'Tags', exact: true }).click();
  // The results of the search stay until this page is loaded, and the found text has the tag too.
  await expect(page.getByRole('heading', { name: 'Tags', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: /#spring/ }).click();
  await expect(page.getByRole('link', { name: /^Beans/ })).toBeVisible();
  await expectAccessible(page);
});

test('# finds tags, the outline of the open note, and headings of others with what is above them', async ({
  page,
  alice,
}) => {
  const { id } = await alice.write('Beds.md', '# Beds\n\n## North\n\n### Northern edge\n\n## South\n\n#north/wall\n');
  await alice.write('Weather.md', '# Weather\n\n## Winds\n\n### North wind\n\nCold.\n');
  await page.goto(alice.page(`/notes/${id}`));
  await page.locator('[data-editor-ready]').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('#');
  const outline = page.getByRole('group', { name: 'In this note' }).getByRole('option');
  await expect(outline).toHaveText(['Beds', 'North', 'Northern edge', 'South']);
  const left = async (at: number) => (await outline.nth(at).locator('svg').boundingBox())?.x ?? 0;
  expect([(await left(1)) - (await left(0)), (await left(2)) - (await left(1))]).toEqual([24, 24]);
  await page.getByRole('combobox').fill('#north');
  await expect(page.getByRole('group', { name: 'Tags' }).getByRole('option')).toHaveText('#north/wall1');
  await expect(outline).toHaveText(['North', 'Northern edge']);
  const elsewhere = page.getByRole('group', { name: 'Headings' }).getByRole('option');
  await expect(elsewhere).toHaveText('North windWeather › Winds');
  await expectAccessible(page);
  await elsewhere.click();
  await expect(page).toHaveURL(/#North(%20|\+)wind/);
});

test('the link to the search empties it, and what was typed does not come back', async ({ page, alice }) => {
  await page.goto(alice.page('/search?q=frosts'));
  const field = page.getByRole('searchbox');
  await expect(field).toHaveValue('frosts');
  await page.keyboard.press('Control+Shift+F');
  await expect(field).toHaveValue('');
  await field.pressSequentially('bea');
  await expect(page).toHaveURL(/q=bea$/);
  await field.pressSequentially('ns');
  await expect(page).toHaveURL(/q=beans$/);
  await expect(field).toHaveValue('beans');
});

test('the trash shows what was deleted, and brings it back', async ({ page, alice }) => {
  const note = await alice.write('Old/Letter.md', '# Letter\n');
  await alice.vault.deleteNote(note.id);
  await page.goto(alice.page('/trash'));
  await page.getByRole('button', { name: 'Restore: Letter' }).click();
  await expect(page.getByText('The trash is empty')).toBeVisible();
  await expectAccessible(page);
  await expect.poll(() => alice.vault.readNoteById(note.id)).not.toBeNull();
});

test('the settings change the profile, and make a vault and a token', async ({ page, alice }) => {
  await page.goto(`${alice.url}/settings`);
  await page.getByLabel('Name', { exact: true }).fill('Alice B.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await page.getByLabel('Theme').selectOption('dark');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByLabel('Theme').selectOption('system');

  await page.getByRole('link', { name: 'Vaults' }).click();
  // The page before it has a field with this name too, and stays until the next one is loaded.
  await expect(page.getByRole('heading', { name: 'Vaults', level: 1 })).toBeVisible();
  await page.getByLabel('Name', { exact: true }).fill('Work');
  await page.getByRole('button', { name: 'Create vault' }).click();
  await expect(page.getByRole('link', { name: 'Work', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Delete: Work' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByRole('link', { name: 'Work', exact: true })).toBeVisible();

  const long = 'Research notes of the whole department, 2026 to 2031';
  await page.getByLabel('Name', { exact: true }).fill(long);
  await page.getByRole('button', { name: 'Create vault' }).click();
  // Beside seven buttons it has lines of words, not of letters.
  expect((await page.getByRole('link', { name: long, exact: true }).boundingBox())?.height).toBeLessThan(80);

  await page.getByRole('link', { name: 'Connections' }).click();
  await page.getByLabel('What it is for').fill('Backup script');
  await page.getByRole('combobox', { name: 'Notes', exact: true }).selectOption('read');
  await page.getByRole('button', { name: 'Create token' }).click();
  await expect(page.getByText(/^nv_pat_/)).toBeVisible();

  await page.getByRole('link', { name: 'Sessions' }).click();
  await expect(page.getByText('This browser')).toBeVisible();
});
