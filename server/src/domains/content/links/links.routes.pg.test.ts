import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine, onSqlite } from '../../../../test/kit/engines.ts';
import { notesOnOneServer } from '../../../../test/kit/notes.ts';

onEachEngine('links of a note', (open) => {
  const start = notesOnOneServer(open);

  test('the answers to a write and to each read list links of every form with every field', async () => {
    const { alice } = await start();
    const target = await alice.write('Folder/Target note.md', '---\naliases: [Other name]\n---\n');
    const note = await alice.write(
      'Folder/a.md',
      [
        '---\nup: "[[Target note|parent]]"\n---',
        '[[Target note]] ![[target NOTE#Head ing|shown]] [[Other name#^block]]',
        '[label](Target%20note.md#part) ![alt](<Target note.md>) [ref][r] [[#here]]',
        '[web](https://example.org/x.md) [mail](mailto:a@example.org) `[[code]]` %%[[comment]]%%',
        '[[Nowhere]] ![[picture.png]]',
        '',
        '[r]: Target%20note.md',
      ].join('\n'),
    );
    const found = { dangling: false, target_note_id: target.id, target_attachment_id: null, target_path: target.path };
    const lost = { dangling: true, target_note_id: null, target_attachment_id: null, target_path: null };
    const link = (target_text: string, alias: string | null, anchor: string | null, link_type = 'wikilink') => {
      return { target_text, link_type, alias, anchor };
    };
    const expected = [
      { ...link('Target note', 'parent', null), ...found },
      { ...link('Target note', null, null), ...found },
      { ...link('target NOTE', 'shown', 'Head ing', 'embed'), ...found },
      { ...link('Other name', null, '^block'), ...found },
      { ...link('Target note.md', 'label', 'part'), ...found },
      { ...link('Target note.md', 'alt', null, 'embed'), ...found },
      { ...link('Target note.md', 'ref', null), ...found },
      { ...link('', null, 'here'), ...found, target_note_id: note.id, target_path: note.path },
      { ...link('Nowhere', null, null), ...lost },
      { ...link('picture.png', null, null, 'embed'), ...lost },
    ];
    assert.deepEqual(note.links, expected);
    assert.deepEqual((await alice.read('Folder/a.md')).body, note);
    assert.deepEqual((await alice.write('Folder/a.md', note.content)).links, expected);
    const conflict = await alice.put('Folder/a.md', { content: 'x', base_hash: 'y' });
    assert.deepEqual(conflict.body.server_note.links, expected);
  });

  test('an edit that keeps the links keeps the edges; one that changes them answers with the new ones', async () => {
    const { alice } = await start();
    await alice.write('b.md');
    await alice.write('a.md', '[[b]] [[c]]\n');
    const same = await alice.write('a.md', 'more [[b]] words [[c]]\n');
    assert.deepEqual(same.links, (await alice.read('a.md')).body.links);
    const other = await alice.write('a.md', '[[c]] [[b|x]] [[b]]\n');
    assert.deepEqual(await alice.edges('a.md'), ['c → ?', 'b → b.md', 'b → b.md']);
    assert.deepEqual(other.links, (await alice.read('a.md')).body.links);
    assert.deepEqual((await alice.write('a.md', 'none\n')).links, []);
    assert.deepEqual(await alice.edges('a.md'), []);
  });
});

onSqlite('the number of links of a note', (open) => {
  const start = notesOnOneServer(open);

  test('at most 20,000 links of a note are stored, and its text is unchanged', async () => {
    const { alice } = await start();
    await alice.write('b.md');
    const content = '[[b]]\n'.repeat(20_005);
    const note = await alice.write('a.md', content);
    assert.deepEqual([note.content.length, note.links.length], [content.length, 20_000]);
    assert.equal((await alice.read('a.md')).body.links.length, 20_000);
    assert.equal((await alice.backlinks('b.md')).length, 200);
  });
});

onEachEngine('backlinks', (open) => {
  const start = notesOnOneServer(open);

  test('backlinks show the source and the text of each link, ordered by age, then by position', async () => {
    const { alice } = await start();
    const target = await alice.write('Target.md');
    const old = await alice.write('Old.md', '# The old one\n[[target#Part|words]]\n[t](Target.md)\n');
    const young = await alice.write('Young.md', '![[Target]]');
    const { body, status } = await alice.caller.get(`/notes/by-id/${target.id}/backlinks`);
    assert.equal(status, 200);
    const from = ({ id, path, title }: typeof old) => ({ source_note_id: id, source_path: path, source_title: title });
    assert.deepEqual(body, {
      backlinks: [
        { ...from(old), alias: 'words', anchor: 'Part' },
        { ...from(old), alias: 't', anchor: null },
        { ...from(young), alias: null, anchor: null },
      ],
    });
    assert.equal(old.title, 'The old one');
  });

  test('an edge keeps its age while target, anchor and alias stay', async () => {
    const { alice } = await start();
    await alice.write('t.md');
    await alice.write('one.md', '[[t]]');
    await alice.write('two.md', '[[t]]');
    await alice.write('three.md', '[[t#a|b]]');
    await alice.write('one.md', 'edited, [[x]] before, [[t]]');
    await alice.write('two.md', 'now an embed ![[t]]');
    assert.deepEqual(await alice.backlinks('t.md'), ['one.md', 'two.md', 'three.md']);
    await alice.write('one.md', '[[t|said otherwise]]');
    assert.deepEqual(await alice.backlinks('t.md'), ['two.md', 'three.md', 'one.md']);
    await alice.write('two.md', 'no link');
    await alice.write('two.md', '[[t]]');
    assert.deepEqual(await alice.backlinks('t.md'), ['three.md', 'one.md', 'two.md']);
    await alice.write('three.md', '[[t#c|b]] [[t#a|b]]');
    const { id } = (await alice.read('t.md')).body;
    const { backlinks } = (await alice.caller.get(`/notes/by-id/${id}/backlinks`)).body;
    assert.deepEqual(
      backlinks.map((link: { anchor: string | null }) => link.anchor),
      ['a', null, null, 'c'],
    );
    await alice.write('t.md', 'edited as well');
    await alice.remove('t.md');
    await alice.write('T.md');
    assert.deepEqual(await alice.backlinks('T.md'), ['three.md', 'one.md', 'two.md', 'three.md']);
  });

  test('backlinks are limited to the oldest 200', async () => {
    const { alice } = await start();
    await alice.write('t.md');
    await alice.write('first.md', '[[t]]\n'.repeat(150));
    await alice.write('second.md', '[[t]]\n'.repeat(150));
    const sources = await alice.backlinks('t.md');
    assert.equal(sources.length, 200);
    assert.deepEqual(Map.groupBy(sources, (path) => path).get('first.md')?.length, 150);
  });

  test('backlinks omit links to headings within the note, but not its links to itself by name', async () => {
    const { alice } = await start();
    await alice.write('Self.md', '# Here\n[[#Here]] [down](#Here) [[Self#Here]]');
    assert.deepEqual(await alice.edges('Self.md'), [' → Self.md', ' → Self.md', 'Self → Self.md']);
    assert.deepEqual(await alice.backlinks('Self.md'), ['Self.md']);
  });

  test('backlinks with context=true have the text around each link, also those of long notes', async () => {
    const { alice } = await start();
    const target = await alice.write('Target.md', '');
    const short = '---\nup: "[[Target]]"\n---\nA **bold** [[Target|word]] here.\n\nAnd [[Target#part]]';
    await alice.write('a.md', short);
    const long = `${'line of a long note\n\n'.repeat(10_000)}At the end [[Target]]`;
    await alice.write('b.md', long);
    const { body } = await alice.caller.get(`/notes/by-id/${target.id}/backlinks?context=true`);
    const shown = (body.backlinks as { context: string; context_link: [number, number]; offset: number }[]).map(
      ({ context, context_link: [begin, end], offset }) => [context, context.slice(begin, end), offset],
    );
    assert.deepEqual(shown.slice(1), [
      ['A bold word here.', 'word', short.indexOf('[[Target|')],
      ['And Target#part', 'Target#part', short.indexOf('[[Target#')],
      ['At the end Target', 'Target', long.indexOf('[[')],
    ]);
    assert.match(String(shown[0]?.[0]), /Target/);
    const plain = await alice.caller.get(`/notes/by-id/${target.id}/backlinks`);
    assert.deepEqual(Object.keys(plain.body.backlinks[0]).includes('context'), false);
  });

  test('backlinks of an invalid id, a missing or deleted note, or another vault’s note are refused', async () => {
    await using notes = await start();
    const { alice } = notes;
    const bob = await notes.bob();
    const { id } = await alice.write('a.md');
    const ask = (who: typeof alice, text: string) => who.caller.get(`/notes/by-id/${text}/backlinks`);
    const malformed = await ask(alice, 'x');
    assert.deepEqual([malformed.status, malformed.body], [400, { error: 'invalid id' }]);
    for (const answer of [await ask(alice, crypto.randomUUID()), await ask(bob, id)]) {
      assert.deepEqual([answer.status, answer.body], [404, { error: 'not found' }]);
    }
    assert.deepEqual((await ask(alice, id.toUpperCase())).body, { backlinks: [] });
    await alice.remove('a.md');
    assert.equal((await ask(alice, id)).status, 404);
  });

  test('links never cross vaults', async () => {
    await using notes = await start();
    const { alice } = notes;
    const bob = await notes.bob();
    await alice.write('a.md', '[[b]]');
    await bob.write('b.md', '[[a]]');
    assert.deepEqual(await alice.edges('a.md'), ['b → ?']);
    assert.deepEqual(await bob.edges('b.md'), ['a → ?']);
  });
});
