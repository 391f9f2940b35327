import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PNG, type ZipFileInput, zipOf } from '../../../../test/kit/content/archives.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { startImporting } from '../../../../test/kit/importing.ts';

const LIMITS = { entries: 50, unpackedBytes: 4_000_000, ratio: 100, ratioFrom: 100_000 };

/** The files as they are in a folder that was packed by a Mac. */
function inFolder(folder: string, files: readonly ZipFileInput[]): ZipFileInput[] {
  const own = files.map((file) => ({ ...file, name: `${folder}/${file.name}` }));
  return [{ name: `${folder}/`, mode: 0o040755 }, ...own, { name: `__MACOSX/${folder}/._a.md`, data: 'x' }];
}

onEachEngine('root folders of zips', (open) => {
  const files = [
    { name: 'Soup.md', data: '[[Beans]]' },
    { name: 'Garden/Beans.md', data: '# Beans' },
    { name: 'Q: why.md', data: 'why' },
    { name: 'bed.png', data: PNG },
    { name: 'run.exe', data: 'x' },
    { name: '.obsidian/app.json', data: '{}' },
  ];

  test('the folder that a zip has everything in is removed, and the report of a dry run says so', async () => {
    await using at = await startImporting({ open });
    await at.put('Soup.md', 'mine');
    for (const query of ['&dry_run=true', '']) {
      const { state, report } = await at.run(zipOf(inFolder('Mu\u0308ll', files)), query);
      assert.deepEqual([state, report.root, report.notes, report.attachments], ['done', 'M\u00fcll', 3, 1]);
      assert.deepEqual(report.renamed, [{ from: 'Soup.md', to: 'Soup 2.md' }]);
      assert.deepEqual(report.skipped, [
        { path: 'run.exe', reason: 'type_not_allowed' },
        { path: '.obsidian/app.json', reason: 'hidden' },
        { path: '__MACOSX/Mu\u0308ll/._a.md', reason: 'hidden' },
      ]);
    }
    assert.deepEqual(await at.paths(), ['Garden/Beans.md', 'Q: why.md', 'Soup 2.md', 'Soup.md', 'bed.png']);
  });

  test('folders of a zip stay beside files and other folders, and the names below them stay refused', async () => {
    await using at = await startImporting({ open });
    const one = await at.run(zipOf([{ name: 'A/a.md' }, { name: 'a.md' }]));
    const two = await at.run(zipOf([{ name: 'B/b.md' }, { name: 'C/c.md' }]));
    assert.deepEqual([one.report.root, two.report.root], [null, null]);
    assert.deepEqual(await at.paths(), ['A/a.md', 'B/b.md', 'C/c.md', 'a.md']);
    const names = ['D/by-id/x.md', 'D/__MACOSX/x.md', 'D/../x.md', '/D/x.md'];
    const { report } = await at.run(zipOf([{ name: 'D/d.md' }, ...names.map((name) => ({ name }))]));
    assert.deepEqual([report.root, report.skipped_count], ['D', 4]);
    assert.deepEqual(await at.paths(), ['A/a.md', 'B/b.md', 'C/c.md', 'a.md', 'd.md']);
  });

  test('zips of vaults keep their only folder, and lose the one into which they were unpacked', async () => {
    await using at = await startImporting({ open });
    const list = [
      { format: 'notevault-zip', version: 1 },
      { name: 'Only/a_.md', path: 'Only/a?.md', mtime: 5 },
    ];
    const exported = [
      { name: 'NOTEVAULT\u2000LIST.jsonl', data: list.map((line) => JSON.stringify(line)).join('\n') },
      { name: 'Only/a_.md', data: 'a' },
    ];
    const { report } = await at.run(zipOf(exported));
    assert.deepEqual([report.root, await at.paths()], [null, ['Only/a?.md']]);
    for (const archive of [zipOf(inFolder('Unpacked', exported)), zipOf([{ name: 'v.zip', data: zipOf(exported) }])]) {
      const { report: again } = await at.run(archive);
      assert.deepEqual([again.unchanged, again.notes, again.attachments], [1, 0, 0]);
    }
  });
});

const [garden, beans, tasks] = ['1b2c3d4e5f60718293a4b5c6d7e8f901', '0f1e2d3c4b5a69788796a5b4c3d2e1f0', 'a'.repeat(32)];
const PRIVATE = 'Private & Shared';
const PART_1 = [
  {
    name: `${PRIVATE}/Garden ${garden}.md`,
    data: `# Garden\n\n[Beans](Garden/Beans%20${beans}.md)\n\n![bed.png](Garden/bed.png)\n`,
  },
  { name: `${PRIVATE}/Garden/Beans ${beans}.md`, data: '# Beans\n\nTags: food\n' },
  { name: `${PRIVATE}/Garden/bed.png`, data: PNG, method: 0 },
];
const PART_2 = [
  { name: `${PRIVATE}/Tasks ${tasks}.csv`, data: '\ufeffName,Done\nSow,Yes\n' },
  { name: `${PRIVATE}/Tasks ${tasks}_all.csv`, data: '\ufeffName,Done\nSow,Yes\nReap,No\n' },
  { name: `${PRIVATE}/Garden/seeds.zip`, data: zipOf([{ name: 'seeds.txt', data: 'seeds' }]) },
];

/** An export as Notion makes it: a zip of zips, whatever the number of parts. */
function notionZip(...parts: readonly (readonly ZipFileInput[] | Buffer)[]): Buffer {
  const name = 'ExportBlock-2f3c1d4e-5a6b-4c7d-8e9f-0a1b2c3d4e5f';
  const files = parts.map((part, i) => ({
    name: `${name}-Part-${i + 1}.zip`,
    data: Buffer.isBuffer(part) ? part : zipOf(part),
  }));
  return zipOf(files);
}

onEachEngine('zips of zips', (open) => {
  test('the parts of a Notion export become one tree, in a dry run and by its import', async () => {
    await using at = await startImporting({ open });
    const dry = await at.run(notionZip(PART_1, PART_2), '&dry_run=true');
    assert.deepEqual(
      [dry.state, dry.report.root, dry.report.notes, dry.report.attachments, dry.done, dry.total],
      ['done', PRIVATE, 2, 4, 6, 6],
    );
    assert.equal(await at.blobs(), 1, 'only the archive is kept');
    await at.server.alice.post(`/imports/${dry.id}/apply`, {});
    await at.server.app.imports.runWaiting();
    const { body } = await at.server.alice.get(`/imports/${dry.id}`);
    assert.deepEqual([body.state, body.report.skipped], ['done', []]);
    assert.deepEqual(await at.paths(), [
      `Garden ${garden}.md`,
      `Garden/Beans ${beans}.md`,
      'Garden/bed.png',
      'Garden/seeds.zip',
      `Tasks ${tasks}.csv`,
      `Tasks ${tasks}_all.csv`,
    ]);
    const { links } = (await at.note(`Garden ${garden}.md`)).body;
    assert.deepEqual(
      links.map(({ dangling }: { dangling: boolean }) => dangling),
      [false, false],
    );
    assert.deepEqual((await at.file('Garden/bed.png')).bytes, PNG);
    assert.equal(await at.blobs(), 4, 'attachments are kept, archives are erased');
  });

  test('archives beside other files are attachments, and so are those in an archive of archives', async () => {
    await using at = await startImporting({ open });
    const inner = zipOf([{ name: 'a.md', data: 'a' }]);
    await at.run(zipOf([{ name: 'old.zip', data: inner }, { name: 'b.md' }]));
    await at.run(zipOf([{ name: 'part.zip', data: zipOf([{ name: 'deep.zip', data: inner }]) }]));
    assert.deepEqual(await at.paths(), ['b.md', 'deep.zip', 'old.zip']);
    assert.deepEqual((await at.file('old.zip')).bytes, inner);
  });

  test('a part that is damaged or encrypted is refused, and the others are imported', async () => {
    await using at = await startImporting({ open });
    const secret = { name: 'secret.zip', data: 'x', encrypted: true };
    const [first, second] = [zipOf(PART_1), zipOf(PART_2)];
    const parts = [
      { name: 'Part-1.zip', data: first },
      { name: 'Part-2.zip', data: second.subarray(0, -9) },
      { name: 'Part-3.zip', data: 'no archive' },
      secret,
    ];
    const { state, report } = await at.run(zipOf(parts));
    assert.deepEqual([state, report.notes, report.attachments], ['done', 2, 1]);
    assert.deepEqual(report.skipped, [
      { path: 'Part-2.zip', reason: 'damaged' },
      { path: 'Part-3.zip', reason: 'damaged' },
      { path: 'secret.zip', reason: 'encrypted' },
    ]);
  });

  test('the bounds of an archive hold for all its parts together', async () => {
    await using at = await startImporting({ open, archiveLimits: LIMITS });
    const part = (name: string, count: number, data = '') =>
      zipOf(Array.from({ length: count }, (_, i) => ({ name: `${name}${i}.md`, data, method: 0 })));
    const noise = Array.from({ length: 30_000 }, (_, i) => (i * 7919) % 65_521).join(' ');
    const cases: [string, Buffer, string | null][] = [
      ['few files', notionZip(part('a', 20), part('b', 20)), null],
      ['many files', notionZip(part('a', 20), part('b', 29)), 'too_many_entries'],
      ['much text', notionZip(part('a', 12, noise), part('b', 12, noise)), 'unpacked_too_large'],
    ];
    for (const [what, archive, fault] of cases) {
      const { error } = await at.run(archive, '&dry_run=true');
      assert.equal(error, fault, what);
    }
    const bomb = zipOf([{ name: 'zeros.md', data: Buffer.alloc(3_000_000) }]);
    const { report } = await at.run(notionZip(bomb, [{ name: 'a.md' }]));
    assert.deepEqual([report.notes, report.skipped], [1, [{ path: 'zeros.md', reason: 'ratio' }]]);
  });

  test('what a killed process has unpacked is erased with the archive', async (t) => {
    await using at = await startImporting({ open });
    const deleting = t.mock.method(at.server.blobs, 'delete', async () => undefined);
    const { id } = await at.run(notionZip(PART_1), '&dry_run=true');
    deleting.mock.restore();
    assert.equal(await at.blobs(), 2);
    assert.equal((await at.server.alice.delete(`/imports/${id}`)).status, 204);
    assert.equal(await at.blobs(), 0);
  });
});
