import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { notesOnOneServer, putAll } from '../../../../test/kit/notes.ts';

onEachEngine('edges resolve again', (open) => {
  const start = notesOnOneServer(open);

  test('edges resolve again when their target is created, deleted and revived, with no write to the source', async () => {
    const { alice } = await start();
    const source = await alice.write('Source.md', '[[Target]] [m](deep/Target.md#x) ![[target.md]]');
    assert.deepEqual(await alice.edges('Source.md'), ['Target → ?', 'deep/Target.md → ?', 'target.md → ?']);
    const target = await alice.write('Deep/target.md', 'x');
    const found = ['Target → Deep/target.md', 'deep/Target.md → Deep/target.md', 'target.md → Deep/target.md'];
    assert.deepEqual(await alice.edges('Source.md'), found);
    assert.deepEqual(await alice.backlinks('Deep/target.md'), Array(3).fill('Source.md'));
    await alice.remove('Deep/target.md');
    assert.deepEqual(await alice.edges('Source.md'), ['Target → ?', 'deep/Target.md → ?', 'target.md → ?']);
    await alice.write('deep/TARGET.md', 'y', { id: target.id });
    assert.deepEqual((await alice.edges('Source.md'))[0], 'Target → deep/TARGET.md');
    const { body } = await alice.read('Source.md');
    assert.deepEqual([body.version, body.seq, body.updated_at], [1, source.seq, source.updated_at]);
  });

  test('edges resolve again when a note gains or loses an alias', async () => {
    const { alice } = await start();
    await alice.write('Source.md', '[[Nick]] [[nick name]] [[Nick.md]]');
    await alice.write('Target.md', '---\naliases: [Nick, Nick Name]\n---\n');
    const found = ['Nick → Target.md', 'nick name → Target.md', 'Nick.md → Target.md'];
    assert.deepEqual(await alice.edges('Source.md'), found);
    await alice.write('Target.md', '---\naliases: Nick Name\n---\n');
    assert.deepEqual(await alice.edges('Source.md'), ['Nick → ?', 'nick name → Target.md', 'Nick.md → ?']);
    // A file name takes precedence over an alias.
    await alice.write('Nick name.md');
    assert.equal((await alice.edges('Source.md'))[1], 'nick name → Nick name.md');
    await alice.remove('Nick name.md');
    assert.equal((await alice.edges('Source.md'))[1], 'nick name → Target.md');
    await alice.remove('Target.md');
    assert.deepEqual(await alice.edges('Source.md'), ['Nick → ?', 'nick name → ?', 'Nick.md → ?']);
  });

  test('edges resolve again when a better candidate appears or disappears', async () => {
    const { alice } = await start();
    await alice.write('Work/Plans/Source.md', '[[Notes]] [[Plans/Notes]] [near](Notes.md) [[../Notes]]');
    const steps: readonly [path: string, expected: string[]][] = [
      ['z/y/Notes.md', ['z/y/Notes.md', '?', 'z/y/Notes.md', '?']],
      ['b/Notes.md', ['b/Notes.md', '?', 'b/Notes.md', '?']],
      ['a/Notes.md', ['a/Notes.md', '?', 'a/Notes.md', '?']],
      ['Notes.md', ['Notes.md', '?', 'Notes.md', '?']],
      ['Home/Plans/Notes.md', ['Notes.md', 'Home/Plans/Notes.md', 'Notes.md', '?']],
      ['Work/Notes.md', ['Work/Notes.md', 'Home/Plans/Notes.md', 'Work/Notes.md', 'Work/Notes.md']],
      ['Work/Plans/notes.md', ['Work/Plans/notes.md', 'Work/Plans/notes.md', 'Work/Plans/notes.md', 'Work/Notes.md']],
      ['Plans/Notes.md', ['Work/Plans/notes.md', 'Plans/Notes.md', 'Work/Plans/notes.md', 'Work/Notes.md']],
    ];
    const targets = async () => (await alice.edges('Work/Plans/Source.md')).map((edge) => edge.split(' → ')[1]);
    for (const [path, expected] of steps) {
      await alice.write(path);
      assert.deepEqual(await targets(), expected, `with ${path}`);
    }
    for (const [index, [path]] of [...steps.entries()].reverse()) {
      await alice.remove(path);
      assert.deepEqual(await targets(), steps[index - 1]?.[1] ?? ['?', '?', '?', '?'], `without ${path}`);
    }
  });

  test('edges of a note that links to itself by name and alias resolve again when it is revived', async () => {
    const { alice } = await start();
    const { id, links } = await alice.write('Me.md', '---\naliases: [I]\n---\n[[Me]] [[I]]');
    assert.deepEqual(
      links.map((link: { target_note_id: string }) => link.target_note_id),
      [id, id],
    );
    await alice.remove('Me.md');
    const again = await alice.write('Me.md', '---\naliases: [I]\n---\n[[Me]] [[I]]', { id });
    assert.deepEqual(
      again.links.map((link: { target_path: string }) => link.target_path),
      ['Me.md', 'Me.md'],
    );
    const other = await alice.write('Me.md', '---\naliases: [We]\n---\n[[Me]] [[I]] [[We]]');
    assert.deepEqual(
      other.links.map((link: { dangling: boolean }) => link.dangling),
      [false, true, false],
    );
    assert.deepEqual(await alice.edges('Me.md'), ['Me → Me.md', 'I → ?', 'We → Me.md']);
  });

  test('a link with a dot may name a whole file name', async () => {
    const { alice } = await start();
    await alice.write('Source.md', '[[v1.2]] [[b.md]] [[paper.pdf]]');
    await alice.write('b.md.md');
    await alice.write('V1.2.md');
    await alice.write('paper.pdf.md');
    assert.deepEqual(await alice.edges('Source.md'), ['v1.2 → V1.2.md', 'b.md → b.md.md', 'paper.pdf → paper.pdf.md']);
    await alice.write('b.md');
    assert.equal((await alice.edges('Source.md'))[1], 'b.md → b.md');
  });

  test('edges of many sources resolve again at once', async () => {
    const { alice } = await start();
    const paths = Array.from({ length: 140 }, (_, at) => `s${at % 7}/${at}.md`);
    const sources = paths.map((path) => ({ path, content: '[[Hub]] and [[hub#x]]', mtime: 1 }));
    await putAll(alice, sources);
    await alice.write('Hub.md', '[[1]] [[139]]');
    for (const path of [paths[0] ?? '', paths[139] ?? '']) {
      assert.deepEqual(await alice.edges(path), ['Hub → Hub.md', 'hub → Hub.md']);
    }
    assert.equal((await alice.backlinks('Hub.md')).length, 200);
    await alice.remove('Hub.md');
    assert.deepEqual(await alice.edges(paths[77] ?? ''), ['Hub → ?', 'hub → ?']);
  });
});
