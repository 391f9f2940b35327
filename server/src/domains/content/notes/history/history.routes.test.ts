import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addVersions } from '../../../../../test/kit/content/versions.ts';
import { onSqlite } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, type Writer } from '../../../../../test/kit/notes.ts';

const NOWHERE = '00000000-0000-7000-8000-000000000000';
const keyed = (key: string) => ({ 'x-idempotency-key': key });
const NOT_FOUND = [404, { error: 'not found' }];

const versionsOf = async ({ caller }: Writer, id: string): Promise<Json[]> =>
  (await caller.get(`/notes/by-id/${id}/versions`)).body.versions;
const restore = ({ caller }: Writer, id: string, version: unknown, headers = {}) =>
  caller.post(`/notes/by-id/${id}/restore`, { version }, headers);

onSqlite('versions of a note', (open) => {
  const start = notesOnOneServer(open);

  test('versions are listed newest first, including the current one, with reason and author', async () => {
    const { alice, server } = await start();
    const at = () => new Date(server.clock.now()).toISOString();
    const times = [at()];
    const first = await alice.write('a.md', 'one');
    server.clock.advance({ seconds: 1 });
    times.unshift(at());
    const second = await alice.write('a.md', 'two é');
    const { name, user_id } = (await versionsOf(alice, first.id))[0].actor;
    const actor = { kind: 'session', name, user_id };
    assert.deepEqual(await versionsOf(alice, first.id), [
      {
        version: 2,
        content_hash: second.content_hash,
        created_at: times[0],
        size_bytes: 6,
        reason: 'edit',
        actor,
      },
      {
        version: 1,
        content_hash: first.content_hash,
        created_at: times[1],
        size_bytes: 3,
        reason: 'create',
        actor,
      },
    ]);
  });

  test('a version is returned with its former text and the present path', async () => {
    const { alice, server } = await start();
    await alice.write('target.md', 'x');
    const first = await alice.write('a.md', '---\ntitle: Old\ntags: [x]\n---\n[[target]] [[gone]]');
    server.clock.advance({ minutes: 1 });
    const second = await alice.write('a.md', 'new');
    const { caller } = alice;
    const old = (await caller.get(`/notes/by-id/${first.id}/versions/1`)).body;
    const { seq, mtime, updated_at, ...rest } = old;
    const { seq: _, mtime: __, updated_at: ___, ...expected } = first;
    assert.deepEqual(rest, expected);
    assert.deepEqual([updated_at, mtime], [first.updated_at, Date.parse(first.updated_at) / 1000]);
    assert.equal(seq, second.seq);
    const current = await caller.get(`/notes/by-id/${first.id}/versions/2`);
    assert.deepEqual(current.body, (await alice.read('a.md')).body);
  });

  test('a version has the parse status of its own text', async () => {
    const { alice } = await start();
    const first = await alice.write('a.md', '---\ntitle: [open\n---\ntext');
    assert.equal(first.parse_status, 'degraded');
    assert.equal((await alice.write('a.md', 'text')).parse_status, 'ok');
    const { body } = await alice.caller.get(`/notes/by-id/${first.id}/versions/1`);
    assert.deepEqual([body.parse_status, body.parse_reason], ['degraded', first.parse_reason]);
    await alice.write('a.md', '---\ntitle: [open\n---\ntext');
    const second = (await alice.caller.get(`/notes/by-id/${first.id}/versions/2`)).body;
    assert.deepEqual([second.parse_status, second.parse_reason], ['ok', undefined]);
  });

  test('versions of an unknown id or with an unknown number are not found', async () => {
    await using notes = await start();
    const { alice } = notes;
    const bob = await notes.bob();
    const note = await alice.write('a.md', 'one');
    const gone = await alice.write('gone.md', 'one');
    await alice.remove('gone.md');
    for (const id of [NOWHERE, gone.id]) {
      for (const path of [`/notes/by-id/${id}/versions`, `/notes/by-id/${id}/versions/1`]) {
        const { status, body } = await alice.caller.get(path);
        assert.deepEqual([status, body], NOT_FOUND);
      }
      const { status, body } = await restore(alice, id, 1);
      assert.deepEqual([status, body], NOT_FOUND);
    }
    for (const version of ['0', '2', '-1', '1.5', 'x', '01', '9007199254740993', '1e300']) {
      const { status, body } = await alice.caller.get(`/notes/by-id/${note.id}/versions/${version}`);
      assert.deepEqual([status, body], NOT_FOUND, version);
    }
    for (const version of [0, 2, -1, 1e300]) {
      const { status, body } = await restore(alice, note.id, version);
      assert.deepEqual([status, body], NOT_FOUND, String(version));
    }
    for (const path of ['/notes/by-id/x/versions', '/notes/by-id/x/versions/1']) {
      const { status, body } = await alice.caller.get(path);
      assert.deepEqual([status, body], [400, { error: 'invalid id' }]);
    }
    assert.equal((await restore(alice, 'x', 1)).status, 400);
    assert.deepEqual((await restore(alice, note.id, '1')).status, 422);
    assert.equal((await bob.caller.get(`/notes/by-id/${note.id}/versions`)).status, 404);
  });

  test('the list of versions is complete, however many there are', async () => {
    const { server, alice } = await start();
    const COUNT = 620;
    const { id } = await alice.write('a.md', 'last');
    await addVersions(server, alice.vault, id, COUNT - 1);
    const versions = await versionsOf(alice, id);
    assert.deepEqual(
      versions.map(({ version }) => version),
      Array.from({ length: COUNT }, (_, at) => COUNT - at),
    );
  });

  test('a restored version becomes a new version', async () => {
    const { alice, server } = await start();
    const first = await alice.write('a.md', '# One\n[[a]]');
    await alice.write('a.md', '# Two');
    server.clock.advance({ minutes: 1 });
    const { status, body } = await restore(alice, first.id, 1, keyed('k'));
    assert.equal(status, 200);
    assert.deepEqual(body.note, (await alice.read('a.md')).body);
    assert.deepEqual([body.note.content, body.note.version, body.note.title], ['# One\n[[a]]', 3, 'One']);
    assert.equal(body.note.mtime, server.clock.now() / 1000);
    assert.equal((await versionsOf(alice, first.id))[0].reason, 'restore');
    // What the note says already is no new version.
    for (const version of [3, 1]) {
      const same = await restore(alice, first.id, version);
      assert.deepEqual([same.status, same.body], [200, body]);
    }
    const again = await restore(alice, first.id, 1, keyed('k'));
    assert.deepEqual([again.headers.get('idempotency-replayed'), again.body], ['true', body]);
  });
});
