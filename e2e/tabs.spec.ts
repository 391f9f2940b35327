import type { Page } from '@playwright/test';
import { contentOf, openNote, titleOf, typeAtEnd } from './kit/notes.ts';
import { expect, expectAccessible, test } from './kit/test.ts';

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });
const pane = (page: Page, name: string) => page.getByRole('region', { name: `Note: ${name}` });
const textOf = (page: Page, name: string) => pane(page, name).locator('.cm-content');
const names = (page: Page) => page.getByRole('tab').allTextContents();

test('notes are opened in tabs by middle and Ctrl clicks, and the address names the one that has the focus', async ({
  page,
  alice,
  context,
}) => {
  const beds = await alice.write('Beds.md', 'see [[Soil]]\n');
  const soil = await alice.write('Soil.md', 'of clay\n');
  await alice.write('Peas.md', 'climb\n');
  await page.goto(alice.page(`/notes/${beds.id}?panel=outline`));
  await expect(page.locator('.cm-content')).toContainText('see');
  await expect(page.getByRole('tab')).toHaveCount(0);
  await page.getByRole('treeitem', { name: 'Peas' }).click({ button: 'middle' });
  await expect(tab(page, 'Beds')).toHaveAttribute('aria-selected', 'true');
  await page
    .locator('.cm-content')
    .getByText('Soil')
    .click({ modifiers: ['Control'] });
  await expect.poll(() => names(page)).toEqual(['Beds', 'Peas', 'Soil']);
  expect(context.pages()).toHaveLength(1);

  await tab(page, 'Soil').click();
  await expect(page).toHaveURL(new RegExp(`${soil.id}\\?panel=outline`));
  await expect(page.locator('.cm-content')).toHaveText('of clay');
  await expect(page.locator('.cm-content')).toBeFocused();
  await expectAccessible(page);
  await page.goBack();
  await expect(page.locator('.cm-content')).toContainText('see');
  await page.goForward();
  await expect(tab(page, 'Soil')).toHaveAttribute('aria-selected', 'true');
  await page.reload();
  await expect.poll(() => names(page)).toEqual(['Beds', 'Peas', 'Soil']);
  await expect(tab(page, 'Soil')).toHaveAttribute('aria-selected', 'true');

  await tab(page, 'Peas').click({ button: 'middle' });
  await expect.poll(() => names(page)).toEqual(['Beds', 'Soil']);
  await page.getByRole('link', { name: 'Home' }).click();
  await page
    .getByRole('main')
    .getByRole('link', { name: /Peas/ })
    .click({ modifiers: ['Control'] });
  await expect.poll(() => names(page)).toEqual(['Beds', 'Soil', 'Peas']);
});

test('tabs are gone through, moved, closed and opened again by keys; the last one leaves home', async ({
  page,
  alice,
}) => {
  const beds = await alice.write('Beds.md', 'beds\n');
  await alice.write('Soil.md', 'soil\n');
  await alice.write('Peas.md', 'peas\n');
  await page.goto(alice.page(`/notes/${beds.id}`));
  const text = page.locator('.cm-content');
  await expect(text).toHaveText('beds');
  for (const name of ['Soil', 'Peas']) {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(name);
    await expect(page.getByRole('option', { name: new RegExp(`^${name}`) })).toBeVisible();
    await page.keyboard.press('Control+Enter');
    await expect(text).toHaveText(name.toLowerCase());
    await expect(text).toBeFocused();
  }
  await expect.poll(() => names(page)).toEqual(['Beds', 'Soil', 'Peas']);
  await page.keyboard.press('Alt+PageDown');
  await expect(text).toHaveText('beds');
  await page.keyboard.press('Alt+Shift+PageDown');
  await expect.poll(() => names(page)).toEqual(['Soil', 'Beds', 'Peas']);

  await tab(page, 'Beds').focus();
  await page.keyboard.press('ArrowRight');
  await expect(tab(page, 'Peas')).toBeFocused();
  await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(() => names(page)).toEqual(['Soil', 'Peas', 'Beds']);
  await expect(tab(page, 'Peas')).toBeFocused();
  await page.keyboard.press('Delete');
  await expect.poll(() => names(page)).toEqual(['Soil', 'Beds']);
  await expect(tab(page, 'Beds')).toBeFocused();
  await page.keyboard.press('Alt+Shift+w');
  await expect(text).toHaveText('peas');
  await expect.poll(() => names(page)).toEqual(['Soil', 'Peas', 'Beds']);
  await tab(page, 'Beds').dragTo(tab(page, 'Soil'));
  await expect.poll(() => names(page)).toEqual(['Beds', 'Soil', 'Peas']);

  await page.keyboard.press('Alt+w');
  await expect(text).toHaveText('soil');
  await page.keyboard.press('Alt+w');
  await expect(text).toHaveText('beds');
  await expect(page.getByRole('tab')).toHaveCount(0);
  await page.keyboard.press('Alt+w');
  await expect(page.getByRole('heading', { level: 1, name: /^Good / })).toBeVisible();
});

test('two notes are edited beside each other; the panel and the keys follow the one that has the focus', async ({
  page,
  alice,
}) => {
  const beds = await alice.write('Beds.md', '# Of beds\n\nbeds\n');
  const soil = await alice.write('Soil.md', '# Of soil\n\nsoil\n');
  await page.goto(alice.page(`/notes/${beds.id}?panel=outline`));
  await expect(page.locator('.cm-content')).toContainText('beds');
  await page.getByRole('treeitem', { name: 'Soil' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open beside' }).click();
  await expect(page).toHaveURL(new RegExp(`${soil.id}\\?panel=outline`));
  await expect(textOf(page, 'Beds')).toContainText('beds');
  await expect(textOf(page, 'Soil')).toContainText('soil');
  const outline = page.getByRole('complementary', { name: 'Outline' });
  await expect(outline).toContainText('Of soil');
  await expectAccessible(page);

  await textOf(page, 'Beds').getByText('beds', { exact: true }).click();
  await page.keyboard.press('End');
  await page.keyboard.type(' typed left');
  await expect(outline).toContainText('Of beds');
  await expect(page).toHaveURL(new RegExp(beds.id));
  await page.keyboard.press('Alt+o');
  await expect(textOf(page, 'Soil')).toBeFocused();
  await expect(page).toHaveURL(new RegExp(soil.id));
  await page.keyboard.press('Control+End');
  await page.keyboard.type('typed right');
  await expect.poll(() => contentOf(alice, 'Beds.md')).toContain('beds typed left');
  await expect.poll(() => contentOf(alice, 'Soil.md')).toContain('typed right');

  await page.keyboard.press('Alt+Shift+b');
  await expect(titleOf(page).last()).toBeFocused();
  await expect.poll(() => names(page)).toEqual(['Beds', 'Soil', 'Untitled']);
  await page.reload();
  await expect(textOf(page, 'Beds')).toContainText('typed left');
  await expect(textOf(page, 'Untitled')).toBeVisible();
  await textOf(page, 'Untitled').click();
  await page.keyboard.press('Alt+w');
  await expect(page.locator('.cm-content')).toHaveCount(1);
  await expect(page).toHaveURL(new RegExp(beds.id));
});

test('what is typed right before a tab is left reaches the server', async ({ page, alice }) => {
  const beds = await alice.write('Beds.md', 'beds\n');
  const soil = await alice.write('Soil.md', 'soil\n');
  await page.goto(alice.page(`/notes/${beds.id}`));
  await expect(page.locator('.cm-content')).toHaveText('beds');
  await page.getByRole('treeitem', { name: 'Soil' }).click({ button: 'middle' });
  for (let round = 0; round < 8; round++) {
    for (const { id, name } of [
      { id: beds.id, name: 'beds' },
      { id: soil.id, name: 'soil' },
    ]) {
      await expect(page).toHaveURL(new RegExp(id));
      await expect(page.locator('.cm-content')).toContainText(name);
      await page.locator('.cm-content').focus();
      await page.keyboard.press('Control+End');
      await page.keyboard.type(`${round}`);
      await page.keyboard.press('Alt+PageDown');
    }
  }
  await expect.poll(() => contentOf(alice, 'Beds.md')).toBe('beds\n01234567');
  await expect.poll(() => contentOf(alice, 'Soil.md')).toBe('soil\n01234567');
});

test('what was typed is undone after another note was open', async ({ page, alice }) => {
  const beds = await alice.write('Beds.md', 'beds\n');
  await alice.write('Soil.md', 'soil\n');
  await page.goto(alice.page(`/notes/${beds.id}`));
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  await typeAtEnd(page, 'of peas');
  await expect.poll(() => contentOf(alice, 'Beds.md')).toBe('beds\nof peas');
  await openNote(page, 'Soil');
  await alice.write('Beds.md', 'all beds\nof peas');
  await openNote(page, 'Beds');
  await expect(page.locator('.cm-content')).toContainText('all beds');
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+z');
  await expect.poll(() => contentOf(alice, 'Beds.md')).toBe('all beds\n');
  await page.keyboard.press('Control+y');
  await expect.poll(() => contentOf(alice, 'Beds.md')).toBe('all beds\nof peas');
});

test('on a phone there is one note and no tabs', async ({ page, alice }) => {
  const beds = await alice.write('Beds.md', 'see [[Soil]]\n');
  await alice.write('Soil.md', 'of clay\n');
  await page.goto(alice.page(`/notes/${beds.id}`));
  await expect(page.locator('.cm-content')).toContainText('see');
  await page.getByRole('treeitem', { name: 'Soil' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open beside' }).click();
  await expect(page.locator('.cm-content')).toHaveCount(2);
  await page.setViewportSize({ width: 360, height: 780 });
  await expect(page.locator('.cm-content')).toHaveCount(1);
  await expect(page.locator('.cm-content')).toHaveText('of clay');
  await expect(page.getByRole('tab')).toHaveCount(0);
});
