import { goTo } from './kit/pages.ts';
import { expect, expectAccessible, test } from './kit/test.ts';

test('pages with nothing in them say what would be there, and what to do', async ({ page, alice }) => {
  const pages = {
    '/trash': 'The trash is empty',
    '/tags': 'No note has a tag yet',
    '/tags?tag=kitchen': 'No note has this tag',
    '/search?q=compost': 'No results',
    '/tasks?state=done': 'Nothing is done yet',
  };
  await page.goto(alice.page());
  await expect(page.getByRole('heading').first()).toBeVisible();
  for (const [path, text] of Object.entries(pages)) {
    await goTo(page, alice.page(path));
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  }
  await expectAccessible(page);
});

test('lists that cannot be read say why, and are there after another try', async ({ page, alice }) => {
  await alice.write('Beds.md', 'compost #kitchen\n');
  const found = page.getByRole('main').getByRole('link', { name: 'Beds' });
  const lists = [
    { path: '/trash', address: '**/api/trash**', list: page.getByText('The trash is empty') },
    { path: '/search?q=compost', address: '**/api/search**', list: found },
    { path: '/tags?tag=kitchen', address: '**/api/search**', list: found },
  ];
  await page.goto(alice.page());
  await expect(page.getByRole('treeitem')).toBeVisible();
  for (const { path, address, list } of lists) {
    await page.route(address, (route) => route.fulfill({ status: 403, json: { error: 'forbidden' } }));
    await goTo(page, alice.page(path));
    await expect(page.getByRole('alert')).toContainText('This cannot be shown now');
    // What is not known is not said.
    await expect(page.getByText('The trash is empty')).toHaveCount(0);
    await expect(page.getByText('No results')).toHaveCount(0);
    if (path === '/trash') await expectAccessible(page);
    await page.unroute(address);
    await page.getByRole('button', { name: 'Try again' }).click();
    // Until the list is there, the next refusal would still meet the request for this one.
    await expect(list).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
  }
});
