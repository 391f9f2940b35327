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
