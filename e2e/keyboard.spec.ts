import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, PASSWORD, test } from './kit/test.ts';

const state = 'save-state';

/** Presses Tab until something has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 60; presses++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

test('keys alone sign in, open a note, edit it, find it, and restore an old version', async ({
  page,
  alice,
  context,
}) => {
  await alice.write('Garden/Journey.md', '# Journey\n\nfirst words\n');
  await alice.write('Garden/Journey.md', '# Journey\n\nsecond words\n');
  await alice.write('Other.md', '# Other\n');
  await context.clearCookies();
  await page.goto(alice.page());
  await tabTo(page, page.getByLabel('E-mail'));
  await page.keyboard.type(alice.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tree')).toBeVisible();

  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox')).toBeFocused();
  await page.keyboard.type('journ');
  await expect(page.getByRole('option', { name: /^Journey/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.locator('.cm-content')).toBeFocused();
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('typed by keys');
  await expect.poll(async () => (await alice.vault.readNote('Garden/Journey.md'))?.content).toContain('typed by keys');

  await page.keyboard.press('Control+Shift+F');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('typed');
  await tabTo(
    page,
    page
      .getByRole('main')
      .getByRole('link', { name: /Journey/ })
      .first(),
  );
  await page.keyboard.press('Enter');
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');

  await page.keyboard.press('Control+Shift+P');
  await expect(page.getByRole('combobox')).toBeFocused();
  await page.keyboard.type('history of');
  await expect(page.getByRole('option', { name: 'History of the note' })).toBeVisible();
  await page.keyboard.press('Enter');
  const history = page.getByRole('complementary', { name: 'History' });
  await expect(history).toBeFocused();
  await expectAccessible(page);
  await tabTo(page, history.getByRole('button').last());
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Version of the note' }).locator('pre')).toBeVisible();
  await tabTo(page, page.getByRole('button', { name: 'Restore this version' }));
  await page.keyboard.press('Enter');
  await expect(page.locator('.cm-content')).toContainText('first words');
});

test('the palette runs commands of the editor and inserts a template, with the focus in the text after it', async ({
  page,
  alice,
}) => {
  await alice.write('Templates/Visit.md', '---\ntags: [visit]\n---\nVisit of {{title}} on {{date:YYYY}}\n');
  const note = await alice.write('Beds.md', 'word\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.getByTestId('editor').getByText('word').click();
  const run = async (typed: string, option: string) => {
    await page.keyboard.press('Control+Shift+P');
    await expect(page.getByRole('combobox')).toBeFocused();
    await page.keyboard.type(typed);
    await expect(page.getByRole('option', { name: option })).toBeVisible();
    await page.keyboard.press('Enter');
  };
  await run('heading 2', 'Heading 2');
  await expect(page.locator('.cm-content')).toBeFocused();
  await page.keyboard.press('Control+End');
  await run('insert a templ', 'Insert a template…');
  await expect(page.getByRole('option', { name: 'Visit' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(page.locator('.cm-content')).toBeFocused();
  const year = new Date().getFullYear();
  await expect
    .poll(async () => (await alice.vault.readNote('Beds.md'))?.content)
    .toBe(`## word\nVisit of Beds on ${year}\n`);
  await page.keyboard.press('Alt+s');
  await expect(page.locator('.nv-mode-source')).toBeVisible();
  await page.keyboard.press('Alt+r');
  await expect(page.getByRole('button', { name: 'Read' })).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Alt+r');
  await page.keyboard.press('Alt+s');
  await expect(page.locator('.nv-mode-preview')).toBeVisible();
});

test('an input method composes while another client edits the note, and both are kept', async ({
  page,
  alice,
  context,
}) => {
  const note = await alice.write('Kanji.md', 'one **two**\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.getByText('two').click();
  await page.keyboard.press('Home');
  const devtools = await context.newCDPSession(page);
  for (const text of ['k', 'か', 'かn', 'かん']) {
    await devtools.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  }
  await alice.vault.appendToNote('Kanji.md', 'from REST\n');
  await expect(page.getByText('from REST')).toBeVisible();
  await devtools.send('Input.insertText', { text: '漢' });
  await page.keyboard.type('!');
  await expect.poll(async () => (await alice.vault.readNote('Kanji.md'))?.content).toBe('漢!one **two**\nfrom REST\n');
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
});

test('a note that keys open has the cursor after its frontmatter, or where it was', async ({ page, alice }) => {
  const source = '---\ntags: [visit]\n---\n# Orchard\n\nApple and pear\n';
  await alice.write('Orchard.md', source);
  await alice.write('Other.md', 'other\n');
  await page.goto(alice.page());
  const go = async (name: string) => {
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox')).toBeFocused();
    await page.keyboard.type(name);
    await expect(page.getByRole('option', { name: new RegExp(`^${name}`) })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('textbox', { name, exact: true })).toBeFocused();
    await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  };
  await expect(page.getByRole('tree')).toBeVisible();
  await go('Orchard');
  await page.keyboard.press('End');
  await page.keyboard.type('s');
  await page.keyboard.press('Control+End');
  await page.keyboard.press('ArrowLeft');
  await go('Other');
  await go('Orchard');
  await page.keyboard.type(', plum');
  const typed = source.replace('# Orchard', '# Orchards').replace('pear', 'pear, plum');
  await expect.poll(async () => (await alice.vault.readNote('Orchard.md'))?.content).toBe(typed);
});
