import { expect, expectAccessible, test } from './kit/test.ts';

const BLOCK =
  '```query\ntags: [book]\nwhere:\n  - status ~ read yet\n  - pages > 100\ncolumns: [status, pages]\nsort: [{by: pages, dir: desc}]\n```';

test('a block query is a table of notes while editing and reading, and says what it does not understand', async ({
  page,
  alice,
}) => {
  await alice.write('Soil.md', '---\ntags: [book]\nstatus: open\npages: 120\n---\n');
  await alice.write('Worms.md', '---\ntags: [book]\nstatus: open\npages: 300\n---\n');
  await alice.write('Slim.md', '---\ntags: [book]\npages: 20\n---\n');
  const { id } = await alice.write('Shelf.md', `Before\n\n${BLOCK}\n`);
  await page.goto(alice.page(`/notes/${id}`));
  await page.locator('[data-editor-ready]').waitFor();
  const table = page.locator('.nv-query table');
  await expect(table.locator('tr')).toHaveText(['Notestatuspages', 'Wormsopen300', 'Soilopen120']);
  await expect(page.locator('.nv-query').getByText('Not understood')).toContainText('status ~ read yet');
  await expectAccessible(page);
  await page.keyboard.press('Alt+r');
  await expect(table.locator('tr')).toHaveCount(3);
  await table.getByRole('button', { name: 'Worms' }).click();
  await expect(page).toHaveTitle(/Worms/);
});

test('a base of Obsidian is shown as tables, and says that it knows neither cards nor formulas', async ({
  page,
  alice,
}) => {
  await alice.write('Soil.md', '---\ntags: [book]\npages: 120\n---\n');
  await alice.write('Worms.md', '---\ntags: [book]\npages: 300\n---\n');
  const base = `
filters: file.hasTag("book")
formulas: {twice: pages * 2}
views:
  - {type: cards, name: Shelf, order: [file.name, formula.twice]}
  - {type: table, name: Pages, order: [file.name, pages], sort: [{property: pages, direction: DESC}]}`;
  await alice.vault.putAttachment('Shelf.base', { bytes: () => new TextEncoder().encode(base), mtime: 1 });
  await page.goto(alice.page());
  await page.getByRole('treeitem', { name: 'Shelf.base' }).click();
  await expect(page.getByRole('region', { name: 'Pages' }).locator('tr')).toHaveText([
    'Notepages',
    'Worms300',
    'Soil120',
  ]);
  await expect(page.getByRole('region', { name: 'Shelf' }).getByRole('link')).toHaveText(['Soil', 'Worms']);
  const unread = page.getByText('Not understood');
  for (const part of ['type: cards', 'formulas', 'formula.twice']) await expect(unread).toContainText(part);
  await expectAccessible(page);
});
