import { expect, expectAccessible, test } from './kit/test.ts';

test('a page that needs the server says so without a connection, and is there again with one', async ({
  page,
  alice,
  context,
}) => {
  await alice.write('Beds.md', 'compost\n');
  const parts = page.waitForResponse(/graph-page.*js/);
  await page.goto(alice.page('/graph'));
  await parts;
  await expect(page.locator('canvas').first()).toBeVisible();
  await page.goto(alice.page('/tasks'));
  await expect(page.getByText('Nothing is open')).toBeVisible();
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Graph' }).click();
  await expect(page.getByRole('heading', { name: 'The server cannot be reached.' })).toBeVisible();
  await expectAccessible(page);
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.locator('canvas').first()).toBeVisible();
});
