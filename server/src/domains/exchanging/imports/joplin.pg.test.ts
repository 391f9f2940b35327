import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PNG, tarOf, zipOf } from '../../../../test/kit/content/archives.ts';
import { joplinId, joplinItem } from '../../../../test/kit/content/joplin.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { startImporting } from '../../../../test/kit/importing.ts';

const [book, inner, one, two, todo, done, image, tag, link] = ['a', 'b', 'c', 'd', '2', '3', 'e', 'f', '1'].map(
  (digit) => joplinId(digit),
) as [string, string, string, string, string, string, string, string, string];
const LONG = `Quarterly: ${'what we planned, '.repeat(30)}and what came of it`;
const FOLDER = 'Home-Work/Inner';

const EXPORT = [
  joplinItem('note', {
    id: one,
    title: 'First: note',
    body: `See [second](:/${two}) and ![](:/${image})\n\nkey: value`,
    parent_id: inner,
    user_updated_time: '2021-05-06T07:08:09.000Z',
    source_url: 'https://example.org/a?b=1#c',
    ...{ author: 'alice', latitude: '48.85660000', longitude: '2.35220000' },
  }),
  joplinItem('note', { id: two, title: 'Second', body: '---\nTitle: Mine\ntags: [own]\n---\nPlain' }),
  joplinItem('note', { id: todo, title: LONG, is_todo: '1', todo_due: '1613560800000', parent_id: inner }),
  joplinItem('note', { id: done, title: 'Done', is_todo: '1', todo_completed: '1611578241183', parent_id: inner }),
  joplinItem('notebook', { id: book, title: 'Home/Work' }),
  joplinItem('notebook', { id: inner, title: 'Inner', parent_id: book }),
  joplinItem('resource', { id: image, title: 'bed.png', file_extension: 'png' }),
  joplinItem('tag', { id: tag, title: 'garden' }),
  joplinItem('noteTag', { id: link, note_id: one, tag_id: tag }),
  joplinItem('noteTag', { id: joplinId('4'), note_id: two, tag_id: tag }),
  { name: `resources/${image}.png`, data: PNG },
];

onEachEngine('imports of Joplin exports', (open) => {
  test('keep notebooks, tags, times, links between notes, and resources', async () => {
    await using at = await startImporting({ open });
    const files = [...EXPORT, { name: '../escape.md', data: 'x' }, { name: 'link', type: '2' }];
    const result = await at.run(tarOf(files));
    assert.deepEqual([result.state, result.report.notes, result.report.attachments], ['done', 4, 1]);
    const long = `${LONG.replace(':', '-').slice(0, 200).trimEnd()}.md`;
    assert.deepEqual(
      await at.paths(),
      [`${FOLDER}/Done.md`, `${FOLDER}/First- note.md`, `${FOLDER}/${long}`, 'Second.md', 'resources/bed.png'].sort(),
    );
    const { body: first } = await at.note(`${FOLDER}/First- note.md`);
    assert.deepEqual(
      [first.title, first.tags, first.mtime],
      ['First: note', ['garden'], Date.parse('2021-05-06T07:08:09.000Z') / 1000],
    );
    assert.match(first.content, /\[second\]\(Second\.md\) and !\[\]\(resources\/bed\.png\)\n\nkey: value$/);
    assert.deepEqual(
      first.links.map(({ target_path, dangling }: { target_path: string; dangling: boolean }) => [
        target_path,
        dangling,
      ]),
      [
        ['Second.md', false],
        [null, false],
      ],
    );
    assert.deepEqual(result.report.skipped, [
      { path: '../escape.md', reason: 'unsafe_path' },
      { path: 'link', reason: 'link' },
    ]);
  });

  test('keep whole titles, to-dos and sources as frontmatter, beside that of the note', async () => {
    await using at = await startImporting({ open });
    await at.run(tarOf(EXPORT));
    const content = async (path: string) => (await at.note(path)).body.content;
    const created = 'created: 2020-01-02T03:04:05.678Z';
    assert.match(
      await content(`${FOLDER}/First- note.md`),
      new RegExp(
        `^---\ntitle: "First: note"\n${created}\nauthor: alice\nsource: https://example.org/a\\?b=1#c\nlatitude: "48.85660000"\nlongitude: "2.35220000"\ntags:\n  - garden\n---\n`,
      ),
    );
    assert.equal(await content('Second.md'), `---\nTitle: Mine\ntags:\n  - own\n  - garden\n${created}\n---\nPlain`);
    assert.equal(await content(`${FOLDER}/Done.md`), `---\n${created}\ncompleted: 2021-01-25T12:37:21.183Z\n---\n`);
    const long = (await at.paths()).find((path) => path.includes('Quarterly')) ?? '';
    assert.equal(
      await content(long),
      `---\ntitle: "${LONG}"\n${created}\ndue: 2021-02-17T11:20:00.000Z\ncompleted: false\n---\n`,
    );
  });

  test('recognize a zipped RAW folder, and import other files of it as they are', async () => {
    await using at = await startImporting({ open });
    const stray = { name: `${joplinId('9')}.md`, data: 'no item' };
    const files = [...EXPORT, stray, { name: 'read me.txt', data: 'x' }];
    const zip = zipOf([
      ...files.map((file) => ({ ...file, name: `Joplin RAW/${file.name}` })),
      { name: '__MACOSX/Joplin RAW/._x', data: 'x' },
    ]);
    const raw = await at.run(zip);
    assert.deepEqual(
      [raw.state, raw.report.root, raw.report.notes, raw.report.attachments],
      ['done', 'Joplin RAW', 5, 2],
    );
    const paths = await at.paths();
    for (const path of [`${FOLDER}/Done.md`, 'Second.md', 'resources/bed.png', stray.name, 'read me.txt']) {
      assert.ok(paths.includes(path), path);
    }
    const { report } = await at.run(tarOf(EXPORT));
    assert.deepEqual([report.unchanged, report.notes, report.attachments], [5, 0, 0]);
  });
});
