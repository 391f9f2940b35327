import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import { pack } from 'tar-stream';
import { fromBufferPromise } from 'yauzl';
import { expect, expectAccessible, test } from './kit/test.ts';

/** A folder of files in a temporary place, removed at the end of its scope. */
async function folderOf(files: Readonly<Record<string, string | Buffer>>) {
  const path = await mkdtemp(join(tmpdir(), 'notevault-import-'));
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), bytes);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

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
    '.obsidian/app.json': '{}',
  });
  await page.goto(alice.page('/import'));
  await expect(page.getByRole('button', { name: 'Choose a folder…' })).toBeVisible();
  await expectAccessible(page);
  await page.locator('input[name=folder]').setInputFiles(folder.path);
  await expect(page.getByRole('heading', { name: 'What an import would do' })).toBeVisible();
  await expect(page.getByText('1 hidden file stays where it is.')).toBeVisible();
  await page.getByText('Left out (1)').click();
  await expect(page.getByText('old.zip')).toBeVisible();
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
  await page.getByRole('link', { name: 'Show the notes' }).click();
  await expect(page.getByRole('link', { name: /^Beans/ })).toBeVisible();
  await page.goto(alice.page('/import'));
  await expect(page.getByRole('button', { name: /folder/i }).first()).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Imported' })).toHaveCount(0);
});

/** A text file of an export of Joplin: title, body, and fields. */
function joplinItem(id: string, type: number, text: readonly string[], fields: Readonly<Record<string, string>>) {
  const lines = Object.entries({ id, ...fields, type_: String(type) }).map(([name, value]) => `${name}: ${value}`);
  return { name: `${id}.md`, data: [...text.flatMap((part) => [part, '']), ...lines].join('\n') };
}

/** An export as Joplin writes it: a notebook with two notes, a resource and a tag. */
async function joplinExport(): Promise<Buffer> {
  const [book, one, two, image, tag, link] = ['a', 'b', 'c', 'd', 'e', 'f'].map((digit) => digit.repeat(32)) as [
    ...[string, string, string, string, string, string],
  ];
  const tar = pack();
  for (const { name, data } of [
    joplinItem(one, 1, ['Beans', `Beside [Soil](:/${two}).\n\n![](:/${image})`], { parent_id: book }),
    joplinItem(two, 1, ['Soil', 'Dark and loose.'], { parent_id: book }),
    joplinItem(book, 2, ['Garden'], { parent_id: '' }),
    joplinItem(image, 4, ['bed.svg'], { file_extension: 'svg' }),
    joplinItem(tag, 5, ['vegetables'], {}),
    joplinItem(link, 6, [], { note_id: one, tag_id: tag }),
    { name: `resources/${image}.svg`, data: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
    { name: '../escape.md', data: 'x' },
  ]) {
    tar.entry({ name }, data);
  }
  tar.finalize();
  return Buffer.concat(await Array.fromAsync(tar));
}

/** Drops a file of this machine on an element, as the browser does for a real drag. */
async function dropFile(page: Page, label: string, path: string): Promise<void> {
  const box = await page.getByRole('region', { name: label }).boundingBox();
  if (box === null) throw new Error(`nothing to drop on: ${label}`);
  const devtools = await page.context().newCDPSession(page);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 4];
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await devtools.send('Input.dispatchDragEvent', { type, x, y, data });
  }
}

test('an export of Joplin that is dropped on the page is reported first, and then imported', async ({
  page,
  alice,
}) => {
  await using folder = await folderOf({ 'notes.jex': await joplinExport() });
  await page.goto(alice.page('/import'));
  await dropFile(page, 'Drop a folder or an archive here', join(folder.path, 'notes.jex'));
  await expect(page.getByRole('heading', { name: 'What an import would do' })).toBeVisible();
  await page.getByText('Left out (1)').click();
  await expect(page.getByText('../escape.md')).toBeVisible();
  expect((await alice.vault.tree()).notes).toEqual([]);

  await page.getByRole('button', { name: 'Import now' }).click();
  await expect(page.getByRole('heading', { name: 'Imported' })).toBeVisible();
  const tree = await alice.vault.tree();
  expect(tree.notes.map(({ path }) => path).sort()).toEqual(['Garden/Beans.md', 'Garden/Soil.md']);
  expect(tree.attachments.map(({ path }) => path)).toEqual(['resources/bed.svg']);
  const beans = await alice.vault.readNote('Garden/Beans.md');
  expect(beans?.tags).toEqual(['vegetables']);
  await page.goto(alice.page(`/notes/${beans?.id}`));
  await page.getByTestId('editor').getByText('Soil').click();
  await expect(page.getByRole('heading', { name: 'Soil' })).toBeVisible();
});

test('what is no archive is refused with its reason, and a dry run can be discarded', async ({ page, alice }) => {
  await using folder = await folderOf({ 'broken.zip': 'no zip at all', 'good/Note.md': '# Note\n' });
  await page.goto(alice.page('/import'));
  await page.locator('input[name=archive]').setInputFiles(join(folder.path, 'broken.zip'));
  await expect(page.getByRole('alert')).toContainText('The import failed');
  await page.locator('input[name=folder]').setInputFiles(join(folder.path, 'good'));
  await page.getByRole('button', { name: 'Choose something else' }).click();
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
