import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromBufferPromise } from 'yauzl';
import { folderOf } from './kit/folder.ts';
import { expect, expectAccessible, test } from './kit/test.ts';

test('a folder is imported after a report of what would happen, and its notes are in the tree', async ({
  page,
  alice,
}) => {
  await alice.write('Soup.md', '# Another soup\n');
  await using folder = await folderOf({
    'Garden/Beans.md': '# Beans\n\n[[Soup]] and [[Nowhere]]\n',
    'Soup.md': '# Soup\n',
    'Garden/plan.txt': 'rows',
    'old.zip': 'PK',
    'tool.exe': 'MZ',
    '.obsidian/app.json': '{}',
  });
  await page.goto(alice.page('/import'));
  await expect(page.getByRole('button', { name: 'Choose a folder…' })).toBeVisible();
  await expectAccessible(page);
  await page.locator('input[name=folder]').setInputFiles(folder.path);
  await expect(page.getByRole('heading', { name: 'What an import would do' })).toBeVisible();
  await expect(page.getByText('1 hidden file is not imported.')).toBeVisible();
  await expect(page.getByText(/^Everything is in one folder, “.+”\. Its contents go to the top level/)).toBeVisible();
  await page.getByText('Left out (1)').click();
  await expect(page.getByText('tool.exe')).toBeVisible();
  await page.getByText('Renamed, because the name was taken (1)').click();
  await expect(page.getByText(/^Soup\.md becomes /)).toBeVisible();
  await expectAccessible(page);
  expect(await alice.vault.readNote('Garden/Beans.md')).toBeNull();

  await page.reload();
  await page.getByRole('button', { name: 'Import now' }).click();
  await expect(page.getByRole('heading', { name: 'Imported' })).toBeVisible();
  await expectAccessible(page);
  await expect(page.getByRole('treeitem', { name: 'Garden' })).toBeVisible();
  expect((await alice.vault.readNote('Garden/Beans.md'))?.content).toBe('# Beans\n\n[[Soup]] and [[Nowhere]]\n');
  expect((await alice.vault.readNote('Soup.md'))?.content).toBe('# Another soup\n');
  await page.getByRole('link', { name: 'Show links without a target' }).click();
  await expect(page.getByRole('heading', { name: 'Links without a target' })).toBeVisible();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveText(/^Nowhere.*Garden\/Beans · line 3$/);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Nowhere' }).click();
  await expect(page.locator('.cm-content .nv-found')).toHaveText('Nowhere');
  await page.goto(alice.page());
  await expect(page.getByRole('link', { name: /^Beans/ })).toBeVisible();
  await page.goto(alice.page('/import'));
  await expect(page.getByRole('button', { name: /folder/i }).first()).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Imported' })).toHaveCount(0);
});

test('the first run does not offer to go on without importing once notes are imported', async ({ page, alice }) => {
  await using folder = await folderOf({ 'good/Note.md': '# Note\n' });
  await page.goto(`${alice.url}/?welcome=notes`);
  const skip = page.getByRole('button', { name: 'Continue without importing' });
  await expect(skip).toBeVisible();
  await page.locator('input[name=folder]').setInputFiles(join(folder.path, 'good'));
  await expect(page.getByRole('button', { name: 'Import now' })).toBeVisible();
  await expect(skip).toBeVisible();
  await page.getByRole('button', { name: 'Import now' }).click();
  await expect(page.getByRole('heading', { name: 'Imported' })).toBeVisible();
  await expect(skip).toHaveCount(0);
  await page.getByRole('link', { name: 'Next' }).click();
  await expect(page.getByRole('heading', { name: 'Connect what you use' })).toBeVisible();
});

test('what is no archive is refused with its reason, and a dry run can be discarded', async ({ page, alice }) => {
  await using folder = await folderOf({ 'broken.zip': 'no zip at all', 'good/Note.md': '# Note\n' });
  await page.goto(alice.page('/import'));
  await page.locator('input[name=archive]').setInputFiles(join(folder.path, 'broken.zip'));
  await expect(page.getByRole('alert')).toContainText('The import failed');
  await page.locator('input[name=folder]').setInputFiles(join(folder.path, 'good'));
  await page.getByRole('button', { name: 'Choose other files' }).click();
  await expect(page.getByRole('button', { name: 'Choose a folder…' })).toBeVisible();
  expect(await alice.vault.readNote('Note.md')).toBeNull();
});

test('a vault is exported as a zip from the settings, with its notes', async ({ page, alice }) => {
  await alice.write('Garden/Beans.md', '# Beans\n');
  await page.goto(`${alice.url}/settings/vaults`);
  await page.setViewportSize({ width: 360, height: 740 });
  const name = await page.getByRole('link', { name: 'Notes', exact: true }).boundingBox();
  expect(name?.height, 'the name of a vault is in one line on a phone').toBeLessThan(30);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export… Notes' }).click();
  const download = await downloading;
  await expect(page.getByText('The zip is complete.')).toBeVisible();
  await expectAccessible(page);
  expect(download.suggestedFilename()).toMatch(/^Notes \d{4}-\d\d-\d\d\.zip$/);
  const zip = await fromBufferPromise(await readFile(await download.path()), { lazyEntries: true });
  const names: string[] = [];
  for await (const { fileName } of zip.eachEntry()) names.push(fileName);
  expect(names).toContain('Garden/Beans.md');
});
