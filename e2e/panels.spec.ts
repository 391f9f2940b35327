import { expect, test } from './kit/test.ts';

test('what belongs to a note is beside it: outline, links, history with restore', async ({ page, alice }) => {
  await alice.write('Soil.md', '# Soil\n\nSee [[Beds]].\n');
  const beds = await alice.write('Beds.md', '# Beds\n\n## North\n\nPeas. [[Nothing yet]]\n');
  await alice.write('Beds.md', '# Beds\n\n## North\n\nBeans. [[Nothing yet]]\n');
  await page.goto(alice.page(`/notes/${beds.id}?panel=outline`));
  await expect(page.locator('[data-editor-ready]')).toBeVisible();
  await expect(page.getByRole('button', { name: 'North' })).toBeVisible();
  await page.getByRole('link', { name: 'Links' }).click();
  await expect(page.getByRole('link', { name: /^Soil/ })).toBeVisible();
  await expect(page.getByText('no such note yet')).toBeVisible();
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('complementary', { name: 'History' }).getByRole('button').last().click();
  await expect(page.getByRole('dialog').locator('ins')).toHaveText('Beans');
  await expect(page.getByRole('dialog').locator('del')).toHaveText('Peas');
  await page.getByRole('button', { name: 'Restore this version' }).click();
  await expect(page.locator('.cm-content')).toContainText('Peas');
});
