import type { Page } from '@playwright/test';
import { expect, expectAccessible, PASSWORD, test } from './kit/test.ts';

const remembered = (page: Page) =>
  page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok());

test('editor settings apply to all devices, also offline; the last change of each setting counts', async ({
  page,
  alice,
  browser,
}) => {
  const { id } = await alice.write('Peas.md', 'peas\n');
  await page.goto(`${alice.url}/settings`);
  const first = remembered(page);
  await page.getByLabel('Line length').selectOption('Full width');
  await first;
  await using context = await browser.newContext();
  await context.request.post(`${alice.url}/api/auth/login`, { data: { email: alice.email, password: PASSWORD } });
  const other = await context.newPage();
  await other.goto(alice.page(`/notes/${id}`));
  await expect(other.locator('.cm-content')).toHaveCSS('max-width', 'none');
  await other.goto(`${alice.url}/settings`);
  await expect(other.getByLabel('Line length')).toHaveValue('full');
  await context.setOffline(true);
  await other.getByLabel('Show line numbers').check();
  await other.getByLabel('Line length').selectOption('Long');
  const second = remembered(page);
  await page.getByLabel('Line length').selectOption('Short');
  await page.getByLabel('Vim keys').check();
  await second;
  const third = remembered(other);
  await context.setOffline(false);
  await third;
  await expect(other.getByLabel('Vim keys')).toBeChecked();
  await page.reload();
  await expect(page.getByLabel('Show line numbers')).toBeChecked();
  await expect(page.getByLabel('Line length')).toHaveValue('wide');
  await expect(page.getByLabel('Vim keys')).toBeChecked();
});

test('the owner of a vault sees the uploads that keep room in it, and ends one', async ({ page, alice }) => {
  await alice.beginUpload('Films/garden.mp4', 300_000_000);
  await page.goto(`${alice.url}/settings`);
  const storage = page.getByRole('region', { name: 'Storage' });
  await expect(storage.getByText('Reserved for uploads')).toBeVisible();
  await expect(storage.getByRole('listitem').filter({ hasText: 'garden.mp4' })).toContainText('space is free again in');
  await expectAccessible(page);
  await storage.getByRole('button', { name: 'End: Films/garden.mp4' }).click();
  await expect(storage.getByText('garden.mp4')).toHaveCount(0);
  await expect(storage.getByText('Reserved for uploads')).toHaveCount(0);
});
