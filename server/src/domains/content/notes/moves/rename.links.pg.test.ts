import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, putAll, startNotes, type Writer } from '../../../../../test/kit/notes.ts';

async function rename(alice: Writer, old_path: string, new_path: string) {
  const answer = await alice.caller.post('/notes/rename', { old_path, new_path });
  assert.equal(answer.status, 200, `${old_path}: ${JSON.stringify(answer.body).slice(0, 200)}`);
  return answer.body.note;
}
/** Text that no compression makes shorter: the same for the same seed. */
const noise = (seed: number, length: number) =>
  createHash('shake256', { outputLength: length / 2 })
    .update(`${seed}`)
    .digest('hex');
const content = async (alice: Writer, path: string): Promise<string> => (await alice.read(path)).body.content;
const contents = async (alice: Writer): Promise<Map<string, string>> => {
  const { body } = await alice.caller.get('/sync/changes?fields=all&limit=500');
  assert.equal(body.has_more, false);
  return new Map(body.changes.map(({ path, content }: Json) => [path, content]));
};

/** One link as written in a source at `s/S.md`, and as it should be after the target's move. */
type Form = readonly [before: string, after: string];

const BY_NAME: readonly Form[] = [
  ['[[Old]]', '[[New]]'],
  ['[[old]]', '[[New]]'],
  ['[[Old.md]]', '[[New.md]]'],
  ['[[ Old ]]', '[[ New ]]'],
  ['![[Old#Part|shown]]', '![[New#Part|shown]]'],
  ['[[Old#^block]]', '[[New#^block]]'],
  ['[[t/Old]]', '[[u/New]]'],
  ['[[t/Old.md|a]]', '[[u/New.md|a]]'],
  ['[[../t/Old]]', '[[../u/New]]'],
  ['[l](Old.md)', '[l](New.md)'],
  ['[l](Old)', '[l](New)'],
  ['[l](t/Old.md#part "Title")', '[l](u/New.md#part "Title")'],
  ['[l](../t/Old.md)', '[l](../u/New.md)'],
  ['[l](<../t/Old.md>)', '[l](<../u/New.md>)'],
  ['![l](../t/Old.md)', '![l](../u/New.md)'],
  ['[one][r], [r]\n\n[r]: ../t/Old.md "Title"', '[one][r], [r]\n\n[r]: ../u/New.md "Title"'],
  ['| [[Old\\|shown]] | [[t/Old#a\\|b]] |\n| --- | --- |', '| [[New\\|shown]] | [[u/New#a\\|b]] |\n| --- | --- |'],
];

onEachEngine('links when notes are renamed', (open) => {
  const start = notesOnOneServer(open);

  test('links keep their form: bare, path, relative, markdown, embed, alias, anchor, table, reference', async () => {
    const { alice } = await start();
    const { id } = await alice.write('t/Old.md');
    const text = (at: 0 | 1) => `${BY_NAME.map((form) => form[at]).join('\n\n')}\n`;
    await alice.write('s/S.md', text(0));
    const before = await alice.edges('s/S.md');
    assert.deepEqual(new Set(before.map((edge) => edge.split(' → ')[1])), new Set(['t/Old.md']));
    await rename(alice, 't/Old.md', 'u/New.md');
    assert.equal(await content(alice, 's/S.md'), text(1));
    const { links } = (await alice.read('s/S.md')).body;
    assert.ok(links.every((link: { target_note_id: string }) => link.target_note_id === id));
    await rename(alice, 'u/New.md', 't/Old.md');
    assert.equal(await content(alice, 's/S.md'), text(0), 'to the letter, once it is back');
  });

  test('links are encoded as their form requires', async () => {
    const { alice } = await start();
    await alice.write('Old.md');
    await alice.write('S.md', '[a](Old.md) [b](<Old.md#x>) [[Old]] [c][r]\n\n[r]: <Old.md>\n');
    await rename(alice, 'Old.md', 'Ordner/100% (sic) né?.md');
    const bare = '100%25%20%28sic%29%20né%3F.md';
    const angle = '100%25 (sic) né%3F.md';
    const wanted = `[a](Ordner/${bare}) [b](<Ordner/${angle}#x>) [[100% (sic) né?]] [c][r]\n\n[r]: <Ordner/${angle}>\n`;
    assert.equal(await content(alice, 'S.md'), wanted);
    assert.deepEqual(new Set((await alice.edges('S.md')).map((edge) => edge.split(' → ')[1])).size, 1);
    await rename(alice, 'Ordner/100% (sic) né?.md', 'Plain.md');
    assert.equal(await content(alice, 'S.md'), '[a](Plain.md) [b](<Plain.md#x>) [[Plain]] [c][r]\n\n[r]: <Plain.md>\n');
  });

  test('links in frontmatter keep their quotes; code, comments and plain text stay unchanged', async () => {
    const { alice } = await start();
    await alice.write('Old.md');
    const text = (name: string) =>
      [
        '---',
        `up: "[[${name}|x]]"`,
        `down: '[[${name}#a]]'`,
        `all:\n  - "[[${name}.md]]"\n  - plain Old`,
        'title: Old',
        '---',
        `[[${name}]] Old [[Older]] \\[[Old]] <!-- [[Old]] --> %% [[Old]] %%`,
        '`[[Old]]` ``[a](Old.md)``',
        '```\n[[Old]]\n```',
        '    [[Old]]',
        `[web](https://example.org/Old.md) [mail](mailto:Old.md)`,
        '',
      ].join('\r\n');
    await alice.write('S.md', text('Old'));
    await rename(alice, 'Old.md', "It's new.md");
    assert.equal(await content(alice, 'S.md'), text("It's new").replace("'[[It's new#a]]'", "'[[It''s new#a]]'"));
    await rename(alice, "It's new.md", 'Old.md');
    assert.equal(await content(alice, 'S.md'), text('Old'));
  });

  test('links get the full path where the new name begins with a space, which a bare name cannot express', async () => {
    const { alice } = await start();
    await alice.write('f/Old.md');
    await alice.write('S.md', '[[Old]] [a](f/Old.md)\n');
    await rename(alice, 'f/Old.md', 'f/ New.md');
    assert.equal(await content(alice, 'S.md'), '[[f/ New]] [a](f/%20New.md)\n');
    assert.deepEqual(await alice.edges('S.md'), ['f/ New → f/ New.md', 'f/ New.md → f/ New.md']);
    await rename(alice, 'f/ New.md', 'f/Old.md');
    assert.equal(await content(alice, 'S.md'), '[[Old]] [a](f/Old.md)\n');
  });

  test('links get the full path where the new name is ambiguous, and stay where the text still resolves', async () => {
    const { alice } = await start();
    await alice.write('a/Twin.md');
    const { id } = await alice.write('b/Old.md');
    await alice.write('S.md', '[[Old]] [[a/Twin]]');
    const source = await alice.write('b/Near.md', '[[Old]]');
    await rename(alice, 'b/Old.md', 'b/Twin.md');
    assert.equal(await content(alice, 'S.md'), '[[b/Twin]] [[a/Twin]]');
    assert.equal(await content(alice, 'b/Near.md'), '[[Twin]]');
    await rename(alice, 'b/Twin.md', 'b/deep/Twin.md');
    assert.equal(await content(alice, 'S.md'), '[[b/deep/Twin]] [[a/Twin]]');
    const near = (await alice.read('b/Near.md')).body;
    assert.deepEqual([near.content, near.version, near.links[0].target_note_id], ['[[Twin]]', 2, id]);
    assert.equal(near.id, source.id);
  });

  test('links of other notes keep their target when the moved note would outrank it', async () => {
    const { alice } = await start();
    await alice.write('x/y/Note.md');
    await alice.write('Named.md', '---\naliases: [Nick]\n---\n');
    await alice.write('Mover.md');
    await alice.write('S.md', '[[Note]] [[note#a|b]] [t](Note.md) [[Nick]] [[Nick|n]]');
    const before = await alice.edges('S.md');
    await rename(alice, 'Mover.md', 'Note.md');
    const kept = '[[x/y/Note]] [[x/y/Note#a|b]] [t](x/y/Note.md) [[Nick]] [[Nick|n]]';
    assert.equal(await content(alice, 'S.md'), kept);
    await rename(alice, 'Note.md', 'Nick.md');
    assert.deepEqual(
      (await alice.edges('S.md')).map((edge) => edge.split(' → ')[1]),
      before.map((edge) => edge.split(' → ')[1]),
    );
    assert.match(await content(alice, 'S.md'), /\[\[Named\]\] \[\[Named\|n\]\]$/);
    await rename(alice, 'Nick.md', 'Mover.md');
    assert.deepEqual(
      (await alice.edges('S.md')).map((edge) => edge.split(' → ')[1]),
      before.map((edge) => edge.split(' → ')[1]),
    );
  });

  test('links by alias stay unchanged when the name changes', async () => {
    const { alice } = await start();
    await alice.write('Old.md', '---\naliases: [Nick]\n---\n');
    const { seq } = await alice.write('S.md', '[[Nick]]');
    await rename(alice, 'Old.md', 'deep/New.md');
    const { body } = await alice.read('S.md');
    assert.deepEqual([body.content, body.version, body.seq], ['[[Nick]]', 1, seq]);
    assert.deepEqual(await alice.edges('S.md'), ['Nick → deep/New.md']);
  });

  test('links by alias keep their target when the source moves nearer to another note with that alias', async () => {
    const { alice } = await start();
    await alice.write('a/One.md', '---\naliases: [Nick]\n---\n');
    await alice.write('b/Two.md', '---\naliases: [Nick]\n---\n');
    await alice.write('a/S.md', '[[Nick]]');
    await rename(alice, 'a/S.md', 'b/S.md');
    assert.deepEqual(await alice.edges('b/S.md'), ['One → a/One.md']);
    await rename(alice, 'b/S.md', 'a/S.md');
    assert.equal((await alice.edges('a/S.md'))[0]?.endsWith('a/One.md'), true);
  });

  test('links tell a.md.md from a.md', async () => {
    const { alice } = await start();
    await alice.write('a.md');
    await alice.write('Other.md');
    await alice.write('S.md', '[[Other]] [[Other.md]] [t](Other.md)');
    await rename(alice, 'Other.md', 'a.md.md');
    assert.deepEqual(
      (await alice.edges('S.md')).map((edge) => edge.split(' → ')[1]),
      Array(3).fill('a.md.md'),
    );
  });

  test('dangling links resolve without a write, and each note whose links change is written once', async () => {
    const { alice } = await start();
    await alice.write('Old.md', 'x');
    const dangling = await alice.write('S.md', '[[Wanted]] and [x](gone.md)');
    await rename(alice, 'Old.md', 'deep/Wanted.md');
    const { body } = await alice.read('S.md');
    assert.deepEqual([body.version, body.seq, body.content], [1, dangling.seq, dangling.content]);
    assert.deepEqual(await alice.edges('S.md'), ['Wanted → deep/Wanted.md', 'gone.md → ?']);
    assert.deepEqual(await alice.backlinks('deep/Wanted.md'), ['S.md']);
  });

  test('links in the moved note stay true, relative ones and those to itself too', async () => {
    const { alice } = await start();
    await alice.write('a/Near.md');
    await alice.write('a/b/Below.md');
    await alice.write('b/Below.md');
    await alice.write('c/d/Near.md');
    const text = '[n](Near.md) [[Near]] [[./Near]] [b](b/Below.md) [[Below]] [me](Me.md#x) [[Me]] [[a/Me]] [[#part]]\n';
    const note = await alice.write('a/Me.md', text);
    const targets = async (path: string) => (await alice.edges(path)).map((edge) => edge.split(' → ')[1]);
    const before = await targets('a/Me.md');
    const moved = await rename(alice, 'a/Me.md', 'c/d/I.md');
    assert.deepEqual([moved.version, moved.seq], [2, note.seq + 1]);
    const wanted =
      '[n](../../a/Near.md) [[a/Near]] [[../../a/Near]] [b](../../a/b/Below.md) [[a/b/Below]] [me](I.md#x) [[I]] [[c/d/I]] [[#part]]\n';
    assert.equal(moved.content, wanted);
    assert.deepEqual(
      await targets('c/d/I.md'),
      before.map((path) => (path === 'a/Me.md' ? 'c/d/I.md' : path)),
    );
    assert.equal((await rename(alice, 'c/d/I.md', 'a/Me.md')).content, text);
  });

  test('rewritten links change each note once: one seq, one version, and the last version with its reason', async () => {
    const { server, alice } = await start();
    await alice.write('Old.md');
    const one = await alice.write('One.md', '[[Old]] [[Old#a]] [[Old|b]]', { mtime: 4 });
    const two = await alice.write('Two.md', '[a](Old.md)');
    const three = await alice.write('Three.md', 'none');
    server.clock.advance({ seconds: 9 });
    const moved = await rename(alice, 'Old.md', 'New.md');
    const now = await Promise.all(['One.md', 'Two.md', 'Three.md'].map(async (path) => (await alice.read(path)).body));
    assert.deepEqual(
      now.map(({ version }) => version),
      [2, 2, 1],
    );
    assert.equal(moved.seq, three.seq + 1);
    assert.deepEqual(now.map(({ seq }) => seq).sort(), [three.seq, three.seq + 2, three.seq + 3]);
    assert.deepEqual([now[0].id, now[1].id], [one.id, two.id]);
    assert.equal(Date.parse(now[0].updated_at) - Date.parse(one.updated_at), 9000);
    const { versions } = (await alice.caller.get(`/notes/by-id/${one.id}/versions`)).body;
    assert.deepEqual(
      versions.map(({ version, reason }: { version: number; reason: string }) => [version, reason]),
      [
        [2, 'link_rewrite'],
        [1, 'create'],
      ],
    );
    const kept = (await alice.caller.get(`/notes/by-id/${one.id}/versions/1`)).body;
    assert.equal(kept.content, '[[Old]] [[Old#a]] [[Old|b]]');
    assert.deepEqual(await alice.backlinks('New.md'), ['One.md', 'One.md', 'One.md', 'Two.md']);
  });

  /** Some batches of a move do not fit into it. */
  const SPOOL_BYTES = 1_000_000;
  /** How many notes link to the renamed one, and how long each is: moves beyond a size are prepared and written in slices. */
  const SIZES = [
    ['few notes', 3, 100],
    ['many notes', 60, 100],
    ['much text', 1, 300_000],
    ['more than is held in memory', 8, 400_000],
  ] as const;
  for (const [size, sources, length] of SIZES)
    test(`from ${size}: the note and all that link to it are written, there and back`, async () => {
      const isSpooled = sources * length > SPOOL_BYTES;
      await using notes = isSpooled ? await startNotes({ open, spoolBytes: SPOOL_BYTES }) : await start();
      const { alice } = notes;
      const { id } = await alice.write('Old.md', '# Target\n');
      const text = (name: string, source: number) => `[[${name}]] ${source}\n${noise(source, length)}\n`;
      const paths = Array.from({ length: sources }, (_, source) => `s/${source}.md`);
      const before = paths.map((path, source) => ({ path, content: text('Old', source), mtime: 1 }));
      await putAll(alice, before);
      for (const [from, to] of [
        ['Old', 'u/New'],
        ['u/New', 'Old'],
      ] as const) {
        const moved = await rename(alice, `${from}.md`, `${to}.md`);
        assert.deepEqual([moved.id, moved.path], [id, `${to}.md`]);
        assert.equal((await alice.read(`${from}.md`)).status, 404);
        assert.equal((await alice.read(`${to}.md`)).body.path, `${to}.md`);
        const now = await contents(alice);
        for (const [source, path] of paths.entries()) {
          const there = now.get(path) === text(to.slice(to.lastIndexOf('/') + 1), source);
          assert.ok(there, `${path} names ${to}`);
        }
      }
    });

  test('links that no wikilink could express get another form', async () => {
    const { alice } = await start();
    await alice.write('Old.md');
    await alice.write('a/Other.md');
    await alice.write('S.md', '[[Old]] [o](Old.md) [[a/Other]]');
    await rename(alice, 'a/Other.md', 'C#/Other.md');
    await rename(alice, 'Old.md', 'C# [x].md');
    assert.equal(await content(alice, 'S.md'), '[Old](C%23%20%5Bx%5D.md) [o](C%23%20%5Bx%5D.md) [[Other]]');
    assert.deepEqual(await alice.edges('S.md'), [
      'C# [x].md → C# [x].md',
      'C# [x].md → C# [x].md',
      'Other → C#/Other.md',
    ]);
    await rename(alice, 'C# [x].md', 'Old.md');
    assert.deepEqual(await alice.edges('S.md'), ['Old.md → Old.md', 'Old.md → Old.md', 'Other → C#/Other.md']);
  });
});
