import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, type Writer } from '../../../../../test/kit/notes.ts';

const NOWHERE = '00000000-0000-7000-8000-000000000000';
let keys = 0;
const keyed = () => {
  keys += 1;
  return { 'x-idempotency-key': `move-${keys}` };
};
const move = (alice: Writer, body: object, headers = keyed()) => alice.caller.post('/notes/batch-move', body, headers);
const pathOf = async (alice: Writer, { id }: Json) => (await alice.caller.get(`/notes/by-id/${id}`)).body.path;
const made = async (alice: Writer, folder: string) => (await alice.caller.post('/folders', { folder })).body.folder;

onSqlite('POST /notes/batch-move', (open) => {
  const start = notesOnOneServer(open);

  test('a batch move takes notes from anywhere into one folder, by path or id, and counts those named', async () => {
    const { alice } = await start();
    const [a, b, there] = [await alice.write('a.md'), await alice.write('x/y/b.md'), await alice.write('Box/there.md')];
    const ids = [a.id, b.id.toUpperCase(), there.id, a.id];
    const answer = await move(alice, { ids, target_folder: '/box//New/' });
    assert.deepEqual([answer.status, answer.body], [200, { moved: 3 }]);
    assert.deepEqual(await Promise.all([a, b, there].map((note) => pathOf(alice, note))), [
      'Box/New/a.md',
      'Box/New/b.md',
      'Box/New/there.md',
    ]);
    const { id } = await made(alice, 'Made/Here');
    assert.deepEqual((await move(alice, { ids: [a.id, there.id], target_folder_id: id })).body, { moved: 2 });
    assert.equal(await pathOf(alice, a), 'Made/Here/a.md');
    assert.deepEqual((await move(alice, { ids: [a.id], target_folder_id: 'root' })).body, { moved: 1 });
    assert.deepEqual((await move(alice, { ids: [b.id], target_folder: '' })).body, { moved: 1 });
    assert.deepEqual([await pathOf(alice, a), await pathOf(alice, b)], ['a.md', 'b.md']);
    const { folders } = (await alice.caller.get('/folders')).body;
    assert.deepEqual(
      folders.map((folder: Json) => [folder.name, folder.count]),
      [
        ['', 2],
        ['Made', 0],
        ['Made/Here', 1],
      ],
    );
  });

  test('notes appear in the change feed in the order in which a batch names them', async () => {
    const { alice } = await start();
    const made = [await alice.write('a.md'), await alice.write('b.md'), await alice.write('c.md')];
    const named = [made[2], made[0], made[1]].map(({ id }) => id);
    const changed = async () => {
      const { changes } = (await alice.caller.get('/sync/changes?since=0')).body;
      return changes.map((change: Json) => change.id);
    };
    await move(alice, { ids: named, target_folder: 'Box' });
    assert.deepEqual(await changed(), named);
    await alice.caller.post('/notes/batch-delete', { ids: named.toReversed() }, keyed());
    assert.deepEqual(await changed(), named.toReversed());
  });

  test('a note already in the target folder is counted and left unchanged', async () => {
    const { alice } = await start();
    const [a, b] = [await alice.write('Box/a.md'), await alice.write('Box/b.md')];
    assert.deepEqual((await move(alice, { ids: [a.id, b.id], target_folder: 'box' })).body, { moved: 2 });
    assert.deepEqual((await alice.read('Box/a.md')).body, a);
    assert.equal((await alice.write('next.md')).seq, 3);
  });

  test('invalid ids and targets are refused with their errors', async () => {
    const { alice } = await start();
    const { id } = await alice.write('Box/a.md');
    const many = Array.from({ length: 1001 }, () => id);
    const to = { target_folder: 'New' };
    const refused: [body: object, status: number, answer: object][] = [
      [to, 400, { error: 'missing required param: ids' }],
      [{ ids: null, ...to }, 400, { error: 'missing required param: ids' }],
      [{ ids: [], ...to }, 400, { error: 'invalid_ids' }],
      [{ ids: id, ...to }, 400, { error: 'invalid_ids' }],
      [{ ids: {}, ...to }, 400, { error: 'invalid_ids' }],
      [{ ids: [id, 'x'], ...to }, 400, { error: 'invalid_ids' }],
      [{ ids: [id, 7], ...to }, 400, { error: 'invalid_ids' }],
      [{ ids: many, ...to }, 400, { error: 'too_many_items', max: 1000 }],
      [{ ids: [id] }, 400, { error: 'missing required param: target' }],
      [{ ids: [id], target_folder: '', target_folder_id: 'root' }, 400, { error: 'missing required param: target' }],
      [{ ids: [id], target_folder: 7 }, 400, { error: 'missing required param: target' }],
      [{ ids: [id], target_folder_id: NOWHERE }, 404, { error: 'not_found', item_id: NOWHERE }],
      [{ ids: [id], target_folder_id: 'x' }, 404, { error: 'not_found', item_id: 'x' }],
      [{ ids: [id], target_folder: 'a/../b' }, 422, { errors: { target_folder: ['must not contain ".." segments'] } }],
      [
        { ids: [id], target_folder: 'by-ID' },
        422,
        { errors: { target_folder: ['must not begin with the segment "by-id"'] } },
      ],
      [
        { ids: [id], target_folder: `${'folder/'.repeat(584)}abcdefg` },
        422,
        { errors: { target_folder: ['must not be longer than 4096 bytes'] } },
      ],
    ];
    for (const [body, status, wanted] of refused) {
      const answer = await move(alice, body);
      const { error, ...rest } = answer.body;
      const both = 'errors' in wanted ? rest : Object.fromEntries(Object.entries(rest).filter(([k]) => k !== 'errors'));
      assert.deepEqual([answer.status, { ...(error === undefined ? {} : { error }), ...both }], [status, wanted]);
    }
    const longest = Array.from({ length: 1000 }, () => id);
    assert.deepEqual((await move(alice, { ids: longest, ...to })).body, { moved: 1 });
  });

  test('a batch move is all or nothing: errors name the unknown id, or the one whose name is taken', async () => {
    await using notes = await start();
    const { alice } = notes;
    const bob = await notes.bob();
    const foreign = await bob.write('b.md');
    const [a, b, c] = [await alice.write('a.md'), await alice.write('x/b.md'), await alice.write('y/B.md')];
    const gone = await alice.write('gone.md');
    await alice.remove('gone.md');
    await alice.write('Box/b.md');
    await alice.write('Taken.md');
    await made(alice, 'Dir/a.md');
    const { seq } = await alice.write('last.md');
    const refused: [ids: string[], target: string, status: number, item: string][] = [
      [[a.id, NOWHERE], 'Box', 404, NOWHERE],
      [[a.id, gone.id], 'Box', 404, gone.id],
      [[a.id, foreign.id], 'Box', 404, foreign.id],
      [[a.id, b.id], 'Box', 409, b.id],
      [[a.id, b.id, c.id], 'Free', 409, c.id],
      [[b.id, c.id], 'x', 409, c.id],
      [[b.id, a.id], 'Dir', 409, a.id],
      [[a.id], 'taken.md', 409, a.id],
      [[a.id], 'A.md/sub', 409, a.id],
    ];
    for (const [ids, target, status, item] of refused) {
      const answer = await move(alice, { ids, target_folder: target });
      const error = status === 404 ? 'not_found' : 'conflict';
      assert.deepEqual([answer.status, answer.body], [status, { error, item_id: item }], `${target}, ${item}`);
    }
    assert.deepEqual(await Promise.all([a, b, c].map((note) => pathOf(alice, note))), ['a.md', 'x/b.md', 'y/B.md']);
    assert.equal((await alice.write('next.md')).seq, seq + 1);
  });

  test('a batch move keeps links between, to and from the moved notes true', async () => {
    const { alice } = await start();
    const a = await alice.write('x/a.md', '[b](b.md) [[b]] [[x/b]] [out](out.md)');
    const b = await alice.write('x/b.md', '[a](./a.md) [[#part]]');
    await alice.write('x/out.md', '[a](a.md) [[x/b]]');
    await alice.write('Twin/out.md');
    const texts = async () =>
      Promise.all(['Twin/a.md', 'Twin/b.md', 'x/out.md'].map(async (path) => (await alice.read(path)).body.content));
    await move(alice, { ids: [a.id, b.id], target_folder: 'Twin' });
    assert.deepEqual(await texts(), [
      '[b](b.md) [[b]] [[Twin/b]] [out](../x/out.md)',
      '[a](./a.md) [[#part]]',
      '[a](../Twin/a.md) [[Twin/b]]',
    ]);
    assert.deepEqual(await alice.edges('Twin/a.md'), [
      ...['b.md → Twin/b.md', 'b → Twin/b.md', 'Twin/b → Twin/b.md', '../x/out.md → x/out.md'],
    ]);
    assert.deepEqual(await alice.edges('Twin/b.md'), ['./a.md → Twin/a.md', ' → Twin/b.md']);
    await move(alice, { ids: [b.id, a.id], target_folder: 'x' });
    assert.equal((await alice.read('x/a.md')).body.content, a.content);
    assert.equal((await alice.read('x/out.md')).body.content, '[a](a.md) [[x/b]]');
  });

  test('a batch move needs an idempotency key, and a second call with it changes nothing', async () => {
    const { alice } = await start();
    const { id } = await alice.write('a.md');
    const body = { ids: [id], target_folder: 'Box' };
    const bare = await alice.caller.post('/notes/batch-move', body);
    assert.deepEqual([bare.status, bare.body.error], [400, 'missing_idempotency_key']);
    const first = await move(alice, body, { 'x-idempotency-key': 'k' });
    await move(alice, { ids: [id], target_folder: '' });
    const again = await move(alice, body, { 'x-idempotency-key': 'k' });
    assert.deepEqual(
      [first.body, again.body, again.headers.get('idempotency-replayed')],
      [{ moved: 1 }, { moved: 1 }, 'true'],
    );
    assert.equal(await pathOf(alice, { id }), 'a.md');
    const other = await move(alice, { ...body, target_folder: 'Other' }, { 'x-idempotency-key': 'k' });
    assert.deepEqual([other.status, other.body.error], [422, 'idempotency_key_reused']);
  });
});
