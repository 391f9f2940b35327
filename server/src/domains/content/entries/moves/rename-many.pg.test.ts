import assert from 'node:assert/strict';
import { test } from 'node:test';
import { YjsClient } from '../../../../../test/kit/clients/yjs-client.ts';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, type Writer } from '../../../../../test/kit/notes.ts';

const NOWHERE = '00000000-0000-7000-8000-000000000000';
let keys = 0;

/** Sends moves, each as the item's id, its path and the new one. */
function send(alice: Writer, moves: readonly (readonly [id: string, from: string, path: string])[], key?: string) {
  keys += 1;
  const body = { moves: moves.map(([id, from, path]) => ({ id, from, path })) };
  return alice.caller.post('/vault/rename-many', body, { 'x-idempotency-key': key ?? `renames-${keys}` });
}

async function upload(alice: Writer, path: string, content = path): Promise<Json> {
  const body = { path, content_base64: Buffer.from(content).toString('base64'), mtime: 1 };
  return (await alice.caller.post('/attachments', body)).body.attachment;
}

const folders = async (alice: Writer): Promise<string[]> =>
  (await alice.caller.get('/folders')).body.folders.slice(1).map(({ name }: Json) => name);
const content = async (alice: Writer, path: string): Promise<string> => (await alice.read(path)).body.content;
const counts = async (alice: Writer): Promise<[string, number][]> =>
  (await alice.caller.get('/folders')).body.folders.map(({ name, count }: Json) => [name, count]);

onEachEngine('POST /vault/rename-many', (open) => {
  const start = notesOnOneServer(open);

  test('two notes swap their names and back: ids, versions and texts stay, and links follow exactly', async () => {
    const { alice } = await start();
    const [p, q] = [await alice.write('p.md', 'text of p'), await alice.write('q.md', 'text of q')];
    const links = '[[p]] [[P|shown]] [q](q.md) [[q#part]]';
    const { seq } = await alice.write('s.md', links);
    const { status, body } = await send(alice, [
      [p.id, 'p.md', 'q.md'],
      [q.id, 'q.md', 'p.md'],
    ]);
    const items = [
      { id: p.id, path: 'q.md', seq: seq + 1 },
      { id: q.id, path: 'p.md', seq: seq + 2 },
    ];
    assert.deepEqual([status, body], [200, { moved: 2, items }]);
    const now = (await alice.read('q.md')).body;
    assert.deepEqual([now.id, now.version, now.content, now.title], [p.id, 1, 'text of p', 'q']);
    assert.equal(await content(alice, 's.md'), '[[q]] [[q|shown]] [q](p.md) [[p#part]]');
    const source = (await alice.read('s.md')).body;
    assert.deepEqual(
      source.links.map((link: Json) => link.target_note_id),
      [p.id, p.id, q.id, q.id],
    );
    const { body: feed } = await alice.caller.get('/sync/changes');
    assert.deepEqual(
      feed.changes.map(({ path, id }: Json) => [path, id]),
      [
        ['q.md', p.id],
        ['p.md', q.id],
        ['s.md', source.id],
      ],
    );
    await send(alice, [
      [p.id, 'q.md', 'p.md'],
      [q.id, 'p.md', 'q.md'],
    ]);
    assert.equal(await content(alice, 's.md'), links);
  });

  test('names of notes and attachments go in circles across folders, which come and go with what is in them', async () => {
    const { alice } = await start();
    const [a, b, c] = [await alice.write('x/a.md'), await alice.write('y/b.md'), await alice.write('c.md')];
    const [one, two] = [await upload(alice, 'x/1.png'), await upload(alice, '2.png')];
    await alice.write('s.md', '[[a]] [[b]] [[c]] ![[1.png]] ![](2.png)');
    await alice.caller.post('/attachments', {
      path: 'c.canvas',
      mtime: 1,
      content_base64: Buffer.from('{"nodes":[{"id":"1","type":"file","file":"x/a.md"}]}').toString('base64'),
    });
    const { status, body } = await send(alice, [
      [a.id, 'x/a.md', 'y/b.md'],
      [b.id, 'y/b.md', 'c.md'],
      [c.id, 'c.md', 'X/a.md'],
      [one.id, 'x/1.png', 'new/2.png'],
      [two.id, '2.png', 'x/1.png'],
    ]);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      body.items.map(({ path }: Json) => path),
      ['y/b.md', 'c.md', 'x/a.md', 'new/2.png', 'x/1.png'],
    );
    assert.equal(await content(alice, 's.md'), '[[b]] [[c]] [[a]] ![[2.png]] ![](x/1.png)');
    assert.deepEqual(await counts(alice), [
      ['', 2],
      ['new', 0],
      ['x', 1],
      ['y', 1],
    ]);
    const canvas = await alice.caller.get('/attachments/c.canvas');
    assert.match(Buffer.from(canvas.body.content_base64, 'base64').toString(), /"file":"y\/b\.md"/);
    assert.deepEqual((await alice.caller.get('/folders/list?folder=x')).body.notes[0].id, c.id);
  });

  test('a note takes the name of its folder, which goes with it, and a folder the name of its note', async () => {
    const { alice } = await start();
    const [inner, other] = [await alice.write('n.md/x.md'), await alice.write('o.md')];
    const moves = [
      [inner.id, 'n.md/x.md', 'n.md'],
      [other.id, 'o.md', 'o.md/deep/y.md'],
    ] as const;
    assert.equal((await send(alice, moves)).status, 200);
    assert.deepEqual(await folders(alice), ['o.md', 'o.md/deep']);
    assert.deepEqual(
      [(await alice.read('n.md')).body.id, (await alice.read('o.md/deep/y.md')).body.id],
      [inner.id, other.id],
    );
    await alice.caller.post('/folders', { folder: 'e.md' });
    const kept = await alice.write('e.md/x.md');
    const refused = await send(alice, [[kept.id, 'e.md/x.md', 'e.md']]);
    assert.deepEqual([refused.status, refused.body], [409, { error: 'conflict', item_id: kept.id }]);
    assert.equal((await alice.read('e.md/x.md')).body.id, kept.id);
  });

  test('names that differ only by case are exchanged, and a name that changes only its case stays its own', async () => {
    const { alice } = await start();
    const [a, b] = [await alice.write('a.md'), await alice.write('b.md')];
    await send(alice, [
      [a.id, 'a.md', 'B.md'],
      [b.id, 'b.md', 'A.md'],
    ]);
    assert.deepEqual([(await alice.read('b.md')).body.path, (await alice.read('a.md')).body.path], ['B.md', 'A.md']);
    await send(alice, [[a.id, 'B.md', 'b.md']]);
    assert.equal((await alice.read('b.md')).body.path, 'b.md');
    const same = await send(alice, [[a.id, 'b.md', 'b.md']]);
    assert.deepEqual([same.status, same.body.moved, same.body.items[0].path], [200, 1, 'b.md']);
  });

  test('all or none are renamed, and the answer names the item in the way', async () => {
    const { alice } = await start();
    const [a, b] = [await alice.write('a.md'), await alice.write('b.md')];
    const file = await upload(alice, 'p.png');
    const { change_seq: before } = (await alice.caller.get('/sync/manifest')).body;
    const swap = [a.id, 'a.md', 'b.md'] as const;
    const refusals: [moves: Parameters<typeof send>[1], status: number, body: object][] = [
      [[swap], 409, { error: 'conflict', item_id: a.id }],
      [[swap, [b.id, 'other.md', 'a.md']], 409, { error: 'conflict', item_id: b.id }],
      [[swap, [b.id, 'b.md', 'B.md']], 409, { error: 'conflict', item_id: a.id }],
      [[swap, [b.id, 'b.md', 'b.md/c.md']], 409, { error: 'conflict', item_id: a.id }],
      [[swap, [NOWHERE, 'c.md', 'a.md']], 404, { error: 'not_found', item_id: NOWHERE }],
      [[[a.id, 'a.md', 'p.png/a.md']], 409, { error: 'conflict', item_id: a.id }],
    ];
    for (const [moves, status, body] of refusals) {
      const answer = await send(alice, moves);
      assert.deepEqual([answer.status, answer.body], [status, body]);
    }
    const invalid: Parameters<typeof send>[1][] = [
      [],
      [swap, swap],
      [['x', 'a.md', 'b.md']],
      [[a.id, 'a.md', '../b.md']],
      [[a.id, 'a.md', 'a.png']],
      [[file.id, 'p.png', '']],
    ];
    for (const moves of invalid) assert.equal((await send(alice, moves)).status, 422, JSON.stringify(moves));
    assert.equal((await send(alice, [[file.id, 'p.png', 'p.exe']])).body.error, 'extension_not_allowed');
    const many = await send(
      alice,
      Array.from({ length: 101 }, () => swap),
    );
    assert.deepEqual([many.status, many.body.error, many.body.max], [400, 'too_many_items', 100]);
    assert.equal((await alice.caller.get('/sync/manifest')).body.change_seq, before);
  });

  test('a request that is sent again with its key swaps nothing back', async () => {
    const { alice } = await start();
    const [a, b] = [await alice.write('a.md'), await alice.write('b.md')];
    const moves = [
      [a.id, 'a.md', 'b.md'],
      [b.id, 'b.md', 'a.md'],
    ] as const;
    const first = await send(alice, moves, 'swap-once');
    assert.equal(first.status, 200);
    assert.deepEqual((await send(alice, moves, 'swap-once')).body, first.body);
    assert.equal((await alice.read('b.md')).body.id, a.id);
    assert.equal((await send(alice, moves)).status, 409);
  });

  test('what is typed into an open note while it swaps its name stays in it', async () => {
    const { alice, server } = await start();
    const [a, b] = [await alice.write('a.md', 'to [[b]]\n'), await alice.write('b.md', 'b\n')];
    using live = await new YjsClient('live').join(server.app, alice.vault, a.id);
    await live.type('typed before\n');
    const swapped = send(alice, [
      [a.id, 'a.md', 'b.md'],
      [b.id, 'b.md', 'a.md'],
    ]);
    await Promise.all([live.type('typed meanwhile\n'), swapped]);
    assert.equal((await swapped).status, 200);
    assert.equal(live.closed, null);
    const lines = (await content(alice, 'b.md')).split('\n').sort();
    assert.deepEqual(lines, ['', 'to [[a]]', 'typed before', 'typed meanwhile']);
  });
});
