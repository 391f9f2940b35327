import type { Page } from '@playwright/test';
import type { Account } from './account.ts';
import { expect } from './test.ts';

/** A picture of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Turns on offline storage of the whole vault in the settings, and waits until it is complete. */
export async function keep(page: Page, alice: Account, about: string | RegExp, withFiles = false): Promise<void> {
  await page.goto(`${alice.url}/settings`);
  await page.getByRole('button', { name: 'Keep on this device: Notes' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(about);
  if (withFiles) await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Keep on this device' }).click();
  await expect(page.getByText('up to date')).toBeVisible();
}
