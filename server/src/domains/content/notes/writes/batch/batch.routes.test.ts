import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { onSqlite } from '../../../../../../test/kit/engines.ts';
import { type Json, startNotes, type Writer } from '../../../../../../test/kit/notes.ts';
import { oneServer } from '../../../../../../test/kit/server.ts';
import { builtinPlans, type PlanTable } from '../../../../foundation/plans/plans.ts';

const NOWHERE = '00000000-0000-7000-8000-000000000000';
let keys = 0;
const keyed = (key = `key ${keys++}`.replace(' ', '-')) => ({ 'x-idempotency-key': key });
const item = (path: string, content = path, more: object = {}) => ({ path, content, mtime: 1, ...more });
const batch = (alice: Writer, notes: unknown, headers = keyed()) =>
  alice.caller.post('/notes/batch', { notes }, headers);
const results = async (alice: Writer, notes: unknown): Promise<Json[]> => {
  const answer = await batch(alice, notes);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.results;
};

onSqlite('POST /notes/batch', (open) => {
  const start = oneServer(() => ({ open }));

  test('a batch writes each note and answers each result in the order sent', async () => {
    const { alice } = await startNotes(await start());
    const old = await alice.write('old.md', 'old');
    const [created, same, edited, degraded, respelt] = await results(alice, [
      item('new.md', '# New\n[[old]]'),
      item('old.md', 'old'),
      item('OLD.md/../x', ''),
      item('bad.md', '---\n[\n---\n'),
      item('\\Folder//a.md', 'in a folder'),
    ]);
    const note = (await alice.read('new.md')).body;
    assert.deepEqual(created, {
      status: 'ok',
      path: 'new.md',
      id: note.id,
      content_hash: note.content_hash,
      version: 1,
      parse_status: 'ok',
    });
    assert.deepEqual([note.title, note.links[0].target_path], ['New', 'old.md']);
    assert.deepEqual([same.status, same.id, same.version], ['ok', old.id, 1]);
    assert.deepEqual([edited.status, Object.keys(edited.errors)], ['error', ['path']]);
    assert.deepEqual(
      [degraded.status, degraded.parse_status, degraded.parse_reason.code],
      ['ok', 'degraded', 'yaml_syntax'],
    );
    assert.deepEqual([respelt.path, respelt.server_path], ['\\Folder//a.md', 'Folder/a.md']);
  });

  test('one invalid note does not fail the others', async () => {
    const { alice } = await startNotes(await start());
    const old = await alice.write('old.md', 'old');
    const folder = await alice.write('taken.md/x.md', 'x');
    const all = await results(alice, [
      item('large.md', 'x'.repeat(10 * MB + 1)),
      item('a.md'),
      item('A.md', 'again'),
      item('text.txt'),
      { path: 7, mtime: 'x', content: 1, version: 'y', tags: [1] },
      {},
      item('old.md', 'mine', { base_hash: 'stale' }),
      item('gone.md', 'mine', { base_hash: 'stale' }),
      item('taken.md', 'x'),
      item('b.md', 'b', { id: folder.id }),
    ]);
    assert.deepEqual(all.slice(0, 3), [
      { status: 'error', path: 'large.md', errors: { content: ['exceeds maximum size of 10MB'] } },
      { ...all[1], status: 'ok' },
      { status: 'error', path: 'A.md', errors: { path: ['duplicate path in batch'] } },
    ]);
    assert.deepEqual(
      all.slice(3, 6).map(({ status, errors }) => [status, Object.keys(errors).sort()]),
      [
        ['error', ['path']],
        ['error', ['content', 'mtime', 'path', 'tags.0', 'version']],
        ['error', ['mtime', 'path']],
      ],
    );
    assert.deepEqual(all[6], { status: 'conflict', conflict: true, path: 'old.md', server_note: old });
    assert.deepEqual(all[7], { status: 'conflict', conflict: true, path: 'gone.md', server_note: null });
    const taken = { status: 'conflict', conflict: true, path: 'taken.md' };
    assert.deepEqual(all[8], { ...taken, server_note: null, server_path: 'taken.md' });
    assert.deepEqual(all[9], { ...taken, path: 'b.md', server_note: folder, server_path: 'taken.md/x.md' });
  });

  test('notes of one batch may share new folders, link to each other and conflict with each other', async () => {
    const { alice } = await startNotes(await start());
    const id = crypto.randomUUID();
    const all = await results(alice, [
      item('New/Deep/a.md', '[[b]] [[c]]'),
      item('new/DEEP/b.md', '[[a]]'),
      item('New/deep/er/c.md', 'c', { id }),
      item('d.md', 'd', { id }),
      item('e.md', 'e'),
      item('e.md/f.md', 'f'),
      item('g.md/h.md', 'h'),
      item('g.md', 'g'),
    ]);
    assert.deepEqual(
      all.map(({ status, server_path }) => [status, server_path]),
      [
        ...[
          ['ok', undefined],
          ['ok', 'New/Deep/b.md'],
          ['ok', 'New/Deep/er/c.md'],
          ['conflict', 'New/Deep/er/c.md'],
        ],
        ...[
          ['ok', undefined],
          ['conflict', 'e.md/f.md'],
          ['ok', undefined],
          ['conflict', 'g.md'],
        ],
      ],
    );
    assert.deepEqual(await alice.edges('New/Deep/a.md'), ['b → New/Deep/b.md', 'c → New/Deep/er/c.md']);
    assert.deepEqual(await alice.backlinks('New/Deep/a.md'), ['New/Deep/b.md']);
  });

  test('notes of one batch link to each other by their aliases, and equal links have equal targets', async () => {
    const { alice } = await startNotes(await start());
    await results(alice, [
      item('a.md', '[[Second]] [[Second]] [[c]] [[nobody]]'),
      item('Folder/b.md', '---\naliases: [Second]\n---\n[[c]]'),
      item('c.md', '[[second]] [[Folder/b]]'),
      item('Folder/c.md', 'nearer to b'),
    ]);
    const second = 'Second → Folder/b.md';
    assert.deepEqual(await alice.edges('a.md'), [second, second, 'c → c.md', 'nobody → ?']);
    assert.deepEqual(await alice.edges('Folder/b.md'), ['c → Folder/c.md']);
    assert.deepEqual(await alice.edges('c.md'), ['second → Folder/b.md', 'Folder/b → Folder/b.md']);
  });

  test('a batch merges, edits and revives as single upserts do, and its versions have that reason', async () => {
    const { alice } = await startNotes(await start());
    const first = await alice.write('a.md', 'one\ntwo\n');
    await alice.write('a.md', 'one\ntwo\nthree\n');
    const gone = await alice.write('b.md', 'b');
    await alice.remove('b.md');
    const [merged, revived] = await results(alice, [
      item('a.md', 'zero\none\ntwo\n', { version: first.version }),
      item('c.md', 'c', { id: gone.id }),
    ]);
    assert.equal((await alice.read('a.md')).body.content, 'zero\none\ntwo\nthree\n');
    assert.deepEqual([merged.version, revived.id, revived.version], [3, gone.id, 2]);
    const { versions } = (await alice.caller.get(`/notes/by-id/${first.id}/versions`)).body;
    assert.deepEqual(
      versions.map(({ reason }: Json) => reason),
      ['batch', 'edit', 'create'],
    );
  });

  test('a batch takes one seq for each changed note, and none for the others', async () => {
    const { alice } = await startNotes(await start());
    const before = (await alice.write('a.md', 'a')).seq;
    await results(alice, [item('a.md', 'a'), item('b.md'), item('b.md'), item('c.md')]);
    const seqs = [];
    for (const path of ['b.md', 'c.md']) seqs.push((await alice.read(path)).body.seq);
    assert.deepEqual(seqs, [before + 1, before + 2]);
    assert.equal((await alice.write('d.md', 'd')).seq, before + 3);
  });

  test('a batch needs an idempotency key, and happens once for it', async () => {
    const { alice } = await startNotes(await start());
    const sent = { notes: [item('a.md', 'one')] };
    const none = await alice.caller.post('/notes/batch', sent);
    assert.deepEqual([none.status, none.body], [400, { error: 'missing_idempotency_key' }]);
    const bad = await alice.caller.post('/notes/batch', sent, keyed('two words'));
    assert.deepEqual([bad.status, bad.body], [400, { error: 'invalid_idempotency_key' }]);
    const first = await alice.caller.post('/notes/batch', sent, keyed('k'));
    await alice.write('a.md', 'two');
    const again = await alice.caller.post('/notes/batch', sent, keyed('k'));
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.equal((await alice.read('a.md')).body.content, 'two');
    // An answer that tells of nothing but refusals is an answer too.
    const refused = await batch(alice, [{}], keyed('r'));
    assert.deepEqual((await batch(alice, [{}], keyed('r'))).body, refused.body);
    assert.equal((await batch(alice, [], keyed('e'))).body.results.length, 0);
    assert.equal((await batch(alice, [], keyed('e'))).headers.get('idempotency-replayed'), 'true');
  });

  test('a batch refuses anything but a list of up to a hundred objects', async () => {
    const { alice } = await startNotes(await start());
    const invalid = { error: 'invalid_notes', errors: 'invalid_notes' };
    for (const sent of [undefined, null, 7, 'x', {}, [1], [item('a.md'), null], [[]]]) {
      const answer = await batch(alice, sent);
      assert.deepEqual([answer.status, answer.body], [400, invalid], JSON.stringify(sent));
    }
    for (const body of [undefined, [], 'null', '7']) {
      const headers = { ...keyed(), 'content-type': 'application/json' };
      assert.equal((await alice.caller.post('/notes/batch', body, headers)).status, 400);
    }
    const many = await batch(
      alice,
      Array.from({ length: 101 }, (_, at) => item(`${at}.md`)),
    );
    assert.deepEqual([many.status, many.body], [400, { error: 'too_many_notes', errors: 'too_many_notes', max: 100 }]);
    assert.equal(
      (
        await batch(
          alice,
          Array.from({ length: 100 }, (_, at) => item(`${at}.md`)),
        )
      ).status,
      200,
    );
    assert.equal((await alice.read('a.md')).status, 404);
  });

  test('a batch over the notes cap writes nothing', async () => {
    const plans: PlanTable = { ...builtinPlans, self_hosted: { ...builtinPlans.self_hosted, notes_cap: 3 } };
    await using notes = await startNotes({ open, config: { plans } });
    const { alice } = notes;
    await alice.write('a.md', 'a');
    const over = await batch(alice, [item('a.md', 'changed'), item('b.md'), item('c.md'), item('d.md')], keyed('k'));
    assert.deepEqual([over.status, over.body.reason, over.body.current], [402, 'notes_cap_exceeded', 1]);
    assert.equal((await alice.read('a.md')).body.content, 'a');
    const fits = await batch(alice, [item('a.md', 'changed'), item('b.md'), item('c.md')], keyed('k'));
    assert.deepEqual(
      fits.body.results.map(({ status }: Json) => status),
      ['ok', 'ok', 'ok'],
    );
  });
});

onSqlite('POST /notes/append', (open) => {
  const start = oneServer(() => ({ open }));
  const append = (alice: Writer, path: unknown, text: unknown) => alice.caller.post('/notes/append', { path, text });

  test('an append adds a line below the last line that is not blank', async () => {
    const { alice, server } = await startNotes(await start());
    for (const [before, after] of [
      ['one', 'one\ntwo'],
      ['one\n', 'one\ntwo'],
      ['one\n\r\n\n', 'one\ntwo'],
      ['one\n ', 'one\n \ntwo'],
      ['', '\ntwo'],
    ]) {
      await alice.remove('a.md');
      const { version } = await alice.write('a.md', before);
      server.clock.advance({ seconds: 5 });
      const { status, body } = await append(alice, 'A.md', 'two');
      assert.deepEqual([status, body.created, body.path], [200, false, 'a.md']);
      assert.deepEqual(body.note, (await alice.read('a.md')).body);
      assert.deepEqual([body.note.content, body.note.version], [after, version + 1]);
      assert.equal(body.note.mtime, server.clock.now() / 1000);
    }
    const { versions } = (await alice.caller.get(`/notes/by-id/${(await alice.read('a.md')).body.id}/versions`)).body;
    assert.equal(versions[0].reason, 'append');
  });

  test('an append creates a note with its name as a heading, in the spelling of existing folders', async () => {
    const { alice, server } = await startNotes(await start());
    await alice.write('Daily/one.md', 'x');
    const { status, body } = await append(alice, 'daily/2026-01-15.MD', 'first [[one]]\n');
    assert.deepEqual([status, body.created, body.path], [200, true, 'Daily/2026-01-15.MD']);
    assert.equal(body.note.content, '# 2026-01-15\n\nfirst [[one]]\n');
    assert.deepEqual([body.note.title, body.note.links[0].target_path], ['2026-01-15', 'Daily/one.md']);
    assert.equal(body.note.mtime, server.clock.now() / 1000);
  });

  test('concurrent appends lose nothing', async () => {
    const { alice } = await startNotes(await start());
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const answers = await Promise.all(lines.map((line) => append(alice, 'log.md', line)));
    assert.equal(answers.filter(({ body }) => body.created).length, 1);
    const { content } = (await alice.read('log.md')).body;
    assert.deepEqual(content.split('\n').slice(2).sort(), lines.sort());
  });

  test('an append fails as an upsert does', async () => {
    const { alice } = await startNotes(await start());
    assert.deepEqual((await append(alice, 'a.txt', 'x')).status, 422);
    assert.deepEqual((await append(alice, 'a.md', undefined)).body, { errors: { text: ['is required'] } });
    await alice.write('full.md', 'x'.repeat(10 * MB - 1));
    const large = await append(alice, 'full.md', 'x');
    assert.deepEqual([large.status, large.body.error], [413, 'note exceeds maximum size of 10MB']);
    assert.equal((await append(alice, 'full.md', '')).status, 200);
    await alice.write('taken.md/x.md', 'x');
    const taken = await append(alice, 'taken.md', 'x');
    assert.deepEqual([taken.status, taken.body], [409, { error: 'conflict', conflict: true, server_path: 'taken.md' }]);
  });

  test('an append happens once for an idempotency key', async () => {
    await using notes = await startNotes(await start());
    const { caller, read } = notes.alice;
    const sent = { path: 'log.md', text: 'line' };
    const first = await caller.post('/notes/append', sent, keyed('k'));
    const again = await caller.post('/notes/append', sent, keyed('k'));
    assert.deepEqual([again.headers.get('idempotency-replayed'), again.body], ['true', first.body]);
    assert.equal((await read('log.md')).body.content, '# log\n\nline');
  });
});

onSqlite('POST /notes/batch-delete', (open) => {
  const start = oneServer(() => ({ open }));
  const remove = (alice: Writer, ids: unknown, headers = keyed()) =>
    alice.caller.post('/notes/batch-delete', { ids }, headers);

  test('a batch delete deletes all named notes, each once', async () => {
    const { alice } = await startNotes(await start());
    const [a, b] = [await alice.write('a.md', '[[b]]'), await alice.write('dir/b.md', 'b')];
    await alice.write('c.md', '[[b]] [[a]]');
    const { status, body } = await remove(alice, [a.id, b.id.toUpperCase(), a.id], keyed('k'));
    assert.deepEqual([status, body], [200, { deleted: 2 }]);
    assert.deepEqual([(await alice.read('a.md')).status, (await alice.read('dir/b.md')).status], [404, 404]);
    assert.deepEqual(await alice.edges('c.md'), ['b → ?', 'a → ?']);
    const again = await remove(alice, [a.id, b.id.toUpperCase(), a.id], keyed('k'));
    assert.deepEqual([again.headers.get('idempotency-replayed'), again.body], ['true', { deleted: 2 }]);
    const vault = (await alice.caller.get(`/vaults/${alice.vault}`)).body.vault;
    assert.equal(vault.note_count, 1);
  });

  test('a batch delete deletes nothing when one is missing', async () => {
    await using notes = await startNotes(await start());
    const { alice } = notes;
    const bob = await notes.bob();
    const [a, gone, foreign] = [
      await alice.write('a.md', 'a'),
      await alice.write('b.md', 'b'),
      await bob.write('c.md'),
    ];
    await alice.remove('b.md');
    for (const id of [NOWHERE, gone.id, foreign.id]) {
      const answer = await remove(alice, [a.id, id]);
      assert.deepEqual([answer.status, answer.body], [404, { error: 'not_found', item_id: id }]);
    }
    assert.equal((await alice.read('a.md')).status, 200);
  });

  test('a batch delete takes 1 to 1,000 ids and an idempotency key', async () => {
    const { alice } = await startNotes(await start());
    for (const [ids, error] of [
      [undefined, 'missing required param: ids'],
      [[], 'invalid_ids'],
      ['x', 'invalid_ids'],
      [['x'], 'invalid_ids'],
      [[NOWHERE, 7], 'invalid_ids'],
      [Array.from({ length: 1001 }, () => NOWHERE), 'too_many_items'],
    ] as const) {
      const answer = await remove(alice, ids);
      assert.deepEqual([answer.status, answer.body.error], [400, error]);
    }
    const none = await alice.caller.post('/notes/batch-delete', { ids: [NOWHERE] });
    assert.deepEqual([none.status, none.body], [400, { error: 'missing_idempotency_key' }]);
    assert.equal(
      (
        await remove(
          alice,
          Array.from({ length: 1000 }, () => NOWHERE),
        )
      ).status,
      404,
    );
  });
});
