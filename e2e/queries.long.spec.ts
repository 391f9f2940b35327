import { expect, expectAccessible, test } from './kit/test.ts';

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
