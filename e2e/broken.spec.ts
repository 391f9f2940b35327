import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './kit/test.ts';

/** Refuses requests to matching URLs until `stop` is called. */
async function refuse(page: Page, addresses: RegExp): Promise<{ stop(): Promise<void> }> {
  await page.route(addresses, (route) =>
    route.fulfill({ status: 400, contentType: 'application/json', body: '{"error":"bad_request"}' }),
  );
  return { stop: () => page.unroute(addresses) };
}

test('a page whose read failed is tried again, and is whole when it is opened anew', async ({ page, alice }) => {
  await alice.write('One.md', 'start #plan\n');
  const refusal = await refuse(page, /\/api\/tags/);
  await page.goto(alice.page('/tags'));
  await expect(page.getByText('Something went wrong on this page.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Something went wrong on this page.')).toBeVisible();
  await refusal.stop();
  await page.getByRole('button', { name: /^Switch vault/ }).click();
  await page.getByRole('menuitem', { name: 'Trash' }).click();
  await expect(page.getByRole('heading', { name: 'Trash', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: 'Tags', exact: true }).click();
  await expect(page.getByRole('link', { name: /#plan/ })).toBeVisible();
});

test('a panel whose read failed is tried again, and leaves the other panels alone', async ({ page, alice }) => {
  const note = await alice.write('One.md', '# One\n');
  const refusal = await refuse(page, /\/api\/.*\/versions/);
  await page.goto(alice.page(`/notes/${note.id}?panel=history`));
  const history = page.getByRole('complementary', { name: 'History' });
  await expect(history.getByText('Something went wrong on this page.')).toBeVisible();
  await page.getByRole('button', { name: 'Outline' }).click();
  await expect(page.getByRole('complementary', { name: 'Outline' }).getByRole('button', { name: 'One' })).toBeVisible();
  await page.getByRole('button', { name: 'History' }).click();
  await expect(history.getByText('Something went wrong on this page.')).toBeVisible();
  await refusal.stop();
  await history.getByRole('button', { name: 'Try again' }).click();
  await expect(history).toContainText('You, in a browser');
});
