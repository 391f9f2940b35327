import type { Page } from '@playwright/test';
import type { Account } from './account.ts';
import { expect } from './test.ts';

/** Opens a note by a click, and waits until it can be edited. */
export async function openNote(page: Page, name: string): Promise<void> {
  await page.getByRole('treeitem', { name }).click();
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  await expect(page.locator('[data-editor-ready]')).toBeVisible();
}

export async function typeAtEnd(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
}

/** The field with the name of the open note. */
export const titleOf = (page: Page) => page.getByRole('textbox', { name: 'Title of the note' });

export const contentOf = async (alice: Account, path: string) => (await alice.vault.readNote(path))?.content;

/** Makes the entry of the tree with a name the active one. */
export async function select(page: Page, name: string): Promise<void> {
  await expect(async () => {
    await page.getByRole('tree').focus();
    await page.keyboard.press(name.slice(0, 1).toLowerCase());
    await expect(page.getByRole('treeitem', { name })).toHaveAttribute('data-active', '', { timeout: 1_000 });
  }).toPass();
}
