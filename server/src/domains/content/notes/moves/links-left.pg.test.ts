import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { notesOnOneServer } from '../../../../../test/kit/notes.ts';

const key = () => ({ 'x-idempotency-key': crypto.randomUUID() });

onEachEngine('links that a rename cannot keep as they are', (open) => {
  const start = notesOnOneServer(open);

  test('a rename rewrites a picture, an embed or a note in a link’s label, and the link around it', async () => {
    const { alice } = await start();
    await alice.caller.post('/attachments', { path: 'img/a.png', content_base64: btoa('png'), mtime: 1 });
    await alice.write('img/T.md');
    const text = (picture: string, note: string) =>
      `[![pic](${picture})](${picture}) [![[${picture}]]](${note}.md) [see ![[${note}]] here](${note}.md)`;
    await alice.write('S.md', text('img/a.png', 'img/T'));
    const content = async () => (await alice.read('S.md')).body.content;
    await alice.caller.post('/attachments/rename', { old_path: 'img/a.png', new_path: 'img/b.png' });
    assert.equal(await content(), text('img/b.png', 'img/T'));
    await alice.caller.post('/notes/rename', { old_path: 'img/T.md', new_path: 'img/U.md' });
    assert.equal(await content(), text('img/b.png', 'img/U'));
    const { body } = await alice.caller.post('/folders/rename', { old_path: 'img', new_path: 'pictures' });
    assert.equal(body.links_left, undefined);
    assert.equal(await content(), text('pictures/b.png', 'pictures/U'));
    assert.equal((await alice.edges('S.md')).filter((edge) => edge.endsWith('?')).length, 0);
  });

  test('a rename to a name that no wikilink can contain makes markdown links, which lead to it', async () => {
    const { alice } = await start();
    for (const [index, name] of ['C#', 'a|b', 'x^2 y', 'a[[b', 'a]]b'].entries()) {
      const old = `Old${index}`;
      await alice.write(`in/${old}.md`);
      await alice.write(`s/S${index}.md`, `[[${old}]] ![[${old}#Part|shown]] [m](../in/${old}.md)\n`);
      const { body } = await alice.caller.post('/notes/rename', {
        old_path: `in/${old}.md`,
        new_path: `in/${name}.md`,
      });
      assert.equal(body.links_left, undefined, name);
      const to = `../in/${encodeURIComponent(name).replace('%5E', '^')}.md`;
      const now = `[${old}](${to}) ![shown](${to}#Part) [m](${to})\n`;
      assert.equal((await alice.read(`s/S${index}.md`)).body.content, now);
      const targets = (await alice.edges(`s/S${index}.md`)).map((edge) => edge.split(' → ')[1]);
      assert.deepEqual(targets, Array(3).fill(`in/${name}.md`));
      await alice.caller.post('/notes/rename', { old_path: `in/${name}.md`, new_path: `in/${old}.md` });
      const back = `[${old}](../in/${old}.md) ![shown](../in/${old}.md#Part) [m](../in/${old}.md)\n`;
      assert.equal((await alice.read(`s/S${index}.md`)).body.content, back);
    }
  });

  test('a wikilink to an attachment becomes a markdown link too; one with single brackets stays a wikilink', async () => {
    const { alice } = await start();
    await alice.caller.post('/attachments', { path: 'a.png', content_base64: btoa('png'), mtime: 1 });
    await alice.write('T.md');
    await alice.write('S.md', '![[a.png|300]] [[T]]');
    await alice.caller.post('/attachments/rename', { old_path: 'a.png', new_path: 'p/b #2.png' });
    await alice.caller.post('/notes/rename', { old_path: 'T.md', new_path: 'Plan [v1] x.md' });
    assert.equal((await alice.read('S.md')).body.content, '![300](p/b%20%232.png) [[Plan [v1] x]]');
  });

  test('a rename answers the links that are left in properties, and a dry run does so before', async () => {
    const { alice } = await start();
    const { id } = await alice.write('in/Old.md');
    const text = '---\nup: "[[Old]]"\nall: ["[[in/Old|x]]", "[[Other]]"]\n---\n[[Old]]\n';
    await alice.write('s/S.md', text);
    await alice.write('s/T.md', '[[Old]]');
    const left = [{ path: 's/S.md', count: 2 }];
    const moves: readonly (readonly [string, object, object])[] = [
      [
        '/notes/rename',
        { old_path: 'in/Old.md', new_path: 'in/C#.md' },
        { old_path: 'in/C#.md', new_path: 'in/Old.md' },
      ],
      ['/folders/rename', { old_path: 'in', new_path: 'C#' }, { old_path: 'C#', new_path: 'in' }],
      ['/notes/batch-move', { ids: [id], target_folder: 'C#' }, { ids: [id], target_folder: 'in' }],
    ];
    for (const [url, there, back] of moves) {
      const before = (await alice.caller.get('/sync/changes?limit=500')).body.cursor;
      const dry = await alice.caller.post(url, { ...there, dry_run: true }, key());
      assert.equal(dry.status, 200, url);
      assert.equal((await alice.caller.get('/sync/changes?limit=500')).body.cursor, before, 'a dry run writes nothing');
      const { body } = await alice.caller.post(url, there, key());
      const expected = url === '/notes/rename' ? left : body.links_left;
      assert.deepEqual([dry.body.links_left, body.links_left], [expected, expected], url);
      assert.deepEqual([dry.body.renamed ?? dry.body.moved, body.renamed ?? body.moved].map(Boolean), [false, true]);
      await alice.caller.post(url, back, key());
      await alice.write('s/S.md', text);
      await alice.write('s/T.md', '[[Old]]');
    }
    await alice.write('in/Taken.md');
    const taken = { old_path: 'in/Old.md', new_path: 'in/Taken.md', dry_run: true };
    assert.equal((await alice.caller.post('/notes/rename', taken)).status, 409);
  });

  test('links in block scalars are rewritten, and tags and aliases are read under keys in any case', async () => {
    const { alice } = await start();
    await alice.write('Old.md', '---\nAliases: [Nick]\nTAGS: [Green]\n---\n');
    await alice.write('S.md', '---\nup: >-\n  [[Old]]\nall: |\n  [[Old|x]]\n  [[Nick]]\n---\n');
    assert.deepEqual(await alice.edges('S.md'), ['Old → Old.md', 'Old → Old.md', 'Nick → Old.md']);
    await alice.caller.post('/notes/rename', { old_path: 'Old.md', new_path: 'it\'s "new".md' });
    const { content } = (await alice.read('S.md')).body;
    assert.equal(content, '---\nup: >-\n  [[it\'s "new"]]\nall: |\n  [[it\'s "new"|x]]\n  [[Nick]]\n---\n');
    assert.deepEqual((await alice.caller.get('/tags')).body, { tags: [{ name: 'Green', count: 1 }] });
  });
});
