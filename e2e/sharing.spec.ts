import type { BrowserContext } from '@playwright/test';
import { openNote } from './kit/notes.ts';
import type { Server } from './kit/server.ts';
import { expect, expectAccessible, signedIn, test } from './kit/test.ts';

/** An account with a vault of its own, which is used over the API. */
async function ownerOf(server: Server, context: BrowserContext) {
  const other = await context.browser()?.newContext();
  if (other === undefined) throw new Error('there is no browser');
  return signedIn(server, other, { name: 'Mira', vault: 'Garden' });
}

test('a viewer finds a shared vault with whose it is, and reads it without anything that would change it', async ({
  page,
  alice,
  server,
  context,
}) => {
  const mira = await ownerOf(server, context);
  await mira.write('Beds.md', 'Peas\n\n- [ ] Sow peas\n\n#kitchen\n');
  await mira.shareWith(alice, 'viewer');
  await page.goto(alice.page());
  await page.getByRole('button', { name: 'Switch vault: Notes' }).click();
  await page.getByRole('menuitemradio', { name: 'Garden Mira · can read' }).click();
  await expect(page.getByRole('treeitem', { name: 'Beds' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'New note' })).toHaveCount(0);
  await openNote(page, 'Beds');
  await expect(page.getByText('You can read this vault, and not change it.')).toBeVisible();
  await expect(page.locator('.cm-content')).toHaveAttribute('aria-readonly', 'true');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'More about the note' }).click();
  await expect(page.getByRole('menuitem', { name: 'Copy link' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: /Rename|Move|Duplicate/ })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('treeitem', { name: 'Beds' }).click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Copy path' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: /Rename|Move|New note/ })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+P');
  await page.getByRole('combobox', { name: 'What do you want to do?' }).fill('note');
  await expect(
    page
      .getByRole('option', { name: 'Copy link' })
      .or(page.getByRole('option', { name: 'Print the note' }))
      .first(),
  ).toBeVisible();
  await expect(page.getByRole('option', { name: 'New note' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.goto(mira.page('/tasks'));
  await expect(page.getByRole('checkbox', { name: 'Sow peas' })).toBeDisabled();
  await page.goto(mira.page('/tags?tag=kitchen'));
  await expect(page.getByRole('heading', { level: 1, name: '#kitchen' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Rename…' })).toHaveCount(0);
  for (const path of ['/trash', '/replace', '/import']) {
    await page.goto(mira.page(path));
    await expect(page.getByText('Only those who may edit this vault have this.')).toBeVisible();
  }
  await page.goto(`${alice.url}/settings/vaults`);
  const row = page.getByRole('listitem').filter({ hasText: 'Garden' });
  await expect(row.getByText('Mira · can read')).toBeVisible();
  await expect(row.getByRole('button', { name: /Delete|Edit|default/ })).toHaveCount(0);
});
