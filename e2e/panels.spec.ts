import { expect, expectAccessible, test } from './kit/test.ts';

test('what belongs to a note is beside it: outline, links, history with restore', async ({ page, alice }) => {
  await alice.write('Soil.md', '# Soil\n\nSee [[Beds]].\n');
  const beds = await alice.write('Beds.md', '# Beds\n\n## North\n\nPeas. [[Nothing yet]]\n');
  await alice.write('Beds.md', '# Beds\n\n## North\n\nBeans. [[Nothing yet]]\n');
  await page.goto(alice.page(`/notes/${beds.id}?panel=outline`));
  await expect(page.locator('[data-editor-ready]')).toBeVisible();
  const heading = page.getByRole('button', { name: 'North' });
  await expect(heading, 'only what is pointed at is filled').toHaveCSS('background-color', 'rgba(0, 0, 0, 0)');
  await page.getByRole('button', { name: 'Links' }).click();
  await expect(page.getByRole('link', { name: /^Soil/ })).toBeVisible();
  await expect(page.getByText('does not exist yet')).toBeVisible();
  await page.getByRole('button', { name: 'History' }).click();
  const history = page.getByRole('complementary', { name: 'History' });
  await expect(history.getByRole('heading', { name: 'Today' })).toBeVisible();
  await history.getByRole('listitem').first().getByRole('button').click();
  const past = page.getByRole('region', { name: 'Version of the note' });
  await expect(past.getByText('5 characters added, 4 removed')).toBeAttached();
  await expect(past.locator('ins').last()).toHaveText('Beans');
  await expect(past.locator('del').last()).toHaveText('Peas');
  await expect(history.getByRole('button', { name: 'Restore this version' })).toHaveCount(0);
  await history.getByRole('listitem').last().getByRole('button').click();
  await past.getByLabel('Show').selectOption('Side by side');
  await expect(past.getByRole('group').first()).toHaveText('Peas. [[Nothing yet]]');
  await expectAccessible(page);
  await past.getByLabel('Compared with').selectOption({ index: 1 });
  await expect(past.getByRole('group').last()).toHaveText('Beans. [[Nothing yet]]');
  await past.getByRole('button', { name: 'Back to the note' }).click();
  await expect(past).toHaveCount(0);
  await expect(page).not.toHaveURL(/version/);
});

test('a version is restored, and that is undone with what was typed before it', async ({ page, alice }) => {
  const beds = await alice.write('Beds.md', 'Peas\n');
  await alice.write('Beds.md', 'Beans\n');
  await page.goto(alice.page(`/notes/${beds.id}?panel=history&version=1`));
  await expect(page.locator('[data-editor-ready]')).toBeAttached();
  await page.getByRole('button', { name: 'Restore this version' }).click();
  await expect(page.locator('.cm-content')).toContainText('Peas');
  await expect(page.getByRole('region', { name: 'Version of the note' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.locator('.cm-content')).toContainText('Beans');
  await expect(page.getByRole('complementary', { name: 'History' }).getByRole('listitem')).toHaveCount(4);
});

test('links are marked where they are, and a name without a link becomes one', async ({ page, alice }) => {
  const beds = await alice.write('Beds.md', '# Beds\n');
  await alice.write('Soil.md', 'First [[Beds]], then again the [[Beds|north ones]].\n');
  const { id } = await alice.write('Diary.md', 'Weeded the beds today.\n');
  await page.goto(alice.page(`/notes/${beds.id}?panel=links`));
  const panel = page.getByRole('complementary', { name: 'Links' });
  const soil = panel.getByRole('listitem').filter({ hasText: 'Soil' });
  await expect(soil.locator('mark')).toHaveText(['Beds', 'north ones']);
  await expect(panel.getByRole('link', { name: /^Diary/ }).locator('mark')).toHaveText('beds');
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Link it in Diary' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Linked in Diary')).toBeVisible();
  await expect(panel.getByRole('heading', { name: 'Linked from (2)' })).toBeVisible();
  await expect(panel.getByText('Mentioned without a link')).toHaveCount(0);
  expect((await alice.vault.readNoteById(id))?.content).toBe('Weeded the [[Beds|beds]] today.\n');
  // A line opens its note there.
  await soil
    .getByRole('link', { name: /^First/ })
    .nth(1)
    .click();
  await expect(page).toHaveTitle(/^Soil/);
  await expect(page.locator('.nv-found')).toContainText('north ones');
});

test('the buttons of the panels are pressed while one is open, and going back closes it', async ({ page, alice }) => {
  const note = await alice.write('Soil.md', '# Soil\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  const beside = page.getByRole('button', { name: 'Beside the note' });
  await expect(beside).toHaveAttribute('aria-pressed', 'false');
  await beside.click();
  await expect(page).toHaveURL(/panel=outline/);
  await expect(beside).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('button', { name: 'Outline' })).toHaveAttribute('aria-pressed', 'true');
  await expectAccessible(page);
  await page.goBack();
  await expect(page).not.toHaveURL(/panel/);
  await expect(page.getByRole('complementary', { name: 'Outline' })).toHaveCount(0);
});

test('a note is printed whole, without what is beside it', async ({ page, alice }) => {
  const lines = Array.from({ length: 400 }, (_, at) => `line ${at}\n`).join('\n');
  const note = await alice.write('Long.md', `# Long\n\n${lines}`);
  await page.goto(alice.page(`/notes/${note.id}?panel=outline`));
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('tree')).toBeHidden();
  await expect(page.getByRole('complementary', { name: 'Outline' })).toBeHidden();
  await page.emulateMedia({ media: null });
  const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g) ?? [];
  expect(pages.length).toBeGreaterThan(5);
});

test('the words of a note are counted without its properties, and those that are selected', async ({ page, alice }) => {
  const note = await alice.write('Words.md', '---\ntags: [a, b]\n---\none two three\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  const counted = async (words: string) => {
    const more = page.getByRole('button', { name: 'More about the note' });
    await more.click();
    await expect(page.getByRole('menu').getByText(words, { exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
    // The menu gives the focus back after it was closed, which may be after the next click.
    await expect(more).toBeFocused();
  };
  await counted('3 words');
  await page.getByText('one two three').click();
  await page.keyboard.press('Home');
  await page.keyboard.press('Control+Shift+ArrowRight');
  await counted('1 of 3 words');
});
