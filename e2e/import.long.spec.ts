import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { pack } from 'tar-stream';
import { folderOf } from './kit/folder.ts';
import { expect, test } from './kit/test.ts';

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
