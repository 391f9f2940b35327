import type { BrowserContext, Page } from '@playwright/test';
import type { Account } from './account.ts';
import type { Server } from './server.ts';
import { signedIn } from './test.ts';

/** Opens another browser context, in which nobody is signed in. */
export async function otherBrowser(context: BrowserContext): Promise<BrowserContext> {
  const other = await context
    .browser()
    ?.newContext({ viewport: { width: 1200, height: 800 }, reducedMotion: 'reduce' });
  if (other === undefined) throw new Error('there is no browser');
  return other;
}

/** Creates an account with a vault, for use over the API. */
export async function ownerOf(server: Server, context: BrowserContext): Promise<Account> {
  return signedIn(server, await otherBrowser(context), { name: 'Mira', vault: 'Garden' });
}

/** Opens the dialog with the people of the shown vault. */
export async function openSharing(page: Page, vault: string): Promise<void> {
  await page.getByRole('button', { name: `Switch vault: ${vault}` }).click();
  await page.getByRole('menuitem', { name: /Share the vault…|People…/ }).click();
}
