import type { Page } from '@playwright/test';
import type { Account } from './kit/account.ts';
import { expect, expectAccessible, test } from './kit/test.ts';

const NOTE = '# Beds\n\n| Bed | Crop |\n| --- | --- |\n| North | Peas |\n| South | Kale |\n\nafter\n';

async function openTable(page: Page, alice: Account): Promise<void> {
  const { id } = await alice.write('Beds.md', NOTE);
  await page.goto(alice.page(`/notes/${id}`));
  await expect(page.getByRole('table')).toBeVisible();
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
}

/** Pastes what a spreadsheet puts into the clipboard. */
const PASTE = `{
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', 'a\\tb\\nc\\td\\n');
  const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  document.querySelector('.cm-content').dispatchEvent(paste);
}`;

const cell = (page: Page, name: string) => page.getByRole('cell', { name, exact: true });
const tool = (page: Page, name: string) => page.getByRole('toolbar').getByRole('button', { name });

/** The cells of the table that the server has, row by row. */
async function storedRows(alice: Account): Promise<string[][]> {
  const lines =
    (await alice.vault.readNote('Beds.md'))?.content.split('\n').filter((line) => line.startsWith('|')) ?? [];
  return lines.toSpliced(1, 1).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((text) => text.trim()),
  );
}

const expectRows = (alice: Account, rows: readonly (readonly string[])[]) =>
  expect.poll(() => storedRows(alice)).toEqual(rows);

test('a table is edited cell by cell, by its keys, its bar and from a spreadsheet', async ({ page, alice }) => {
  await openTable(page, alice);
  await cell(page, 'Peas').click();
  await page.keyboard.press('End');
  await page.keyboard.type(' early');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Leeks');
  await page.keyboard.press('Tab');
  await page.keyboard.type('East');
  await expectRows(alice, [
    ['Bed', 'Crop'],
    ['North', 'Peas early'],
    ['South', 'Leeks'],
    ['East', ''],
  ]);
  await tool(page, 'Move the row up').click();
  await tool(page, 'Add a column after this one').click();
  await page.keyboard.type('x|y');
  await expectRows(alice, [
    ['Bed', '', 'Crop'],
    ['North', '', 'Peas early'],
    ['East', 'x\\', 'y', ''],
    ['South', '', 'Leeks'],
  ]);
  await tool(page, 'Remove the column').click();
  await tool(page, 'Remove the row').click();
  await expectRows(alice, [
    ['Bed', 'Crop'],
    ['North', 'Peas early'],
    ['South', 'Leeks'],
  ]);
  await expectAccessible(page);
  await cell(page, 'Leeks').click();
  await page.evaluate(PASTE);
  await expectRows(alice, [
    ['Bed', 'Crop', ''],
    ['North', 'Peas early', ''],
    ['South', 'a', 'b'],
    ['', 'c', 'd'],
  ]);
});

test('two pages that type into one cell at once keep what both wrote, and the table', async ({
  page,
  alice,
  context,
}) => {
  await openTable(page, alice);
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.getByRole('table')).toBeVisible();
  for (const [one, key] of [
    [page, 'Home'],
    [other, 'End'],
  ] as const) {
    // The name of whoever is in the cell is in it too.
    await one.getByRole('cell').filter({ hasText: 'Kale' }).click();
    await one.keyboard.press(key);
  }
  await Promise.all([page.keyboard.type('red '), other.keyboard.type(' and rye')]);
  await expectRows(alice, [
    ['Bed', 'Crop'],
    ['North', 'Peas'],
    ['South', 'red Kale and rye'],
  ]);
  for (const one of [page, other]) {
    await expect(one.locator('.cm-content')).toContainText(/red .*Kale.* and rye/);
  }
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 780 } });

  test('a finger edits a cell and adds a row', async ({ page, alice }) => {
    await openTable(page, alice);
    await cell(page, 'Kale').tap();
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await tool(page, 'Add a row below').tap();
    await page.keyboard.type('new');
    await expectRows(alice, [
      ['Bed', 'Crop'],
      ['North', 'Peas'],
      ['South', 'Kale!'],
      ['', 'new'],
    ]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});
