import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { KNOWN_NOTES_MAX } from '@notevault/protocol/sync.ts';
import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import { onEachEngine, rawOf } from '../../../../test/kit/engines.ts';
import { startNotes } from '../../../../test/kit/notes.ts';
import type { Caller } from '../../../../test/kit/person.ts';
import { oneServer } from '../../../../test/kit/server.ts';
import { startShared } from '../../../../test/kit/shared-vault.ts';
import { findNewestVersions } from '../../content/notes/history/versions.store.ts';

/** @param texts by path */
async function known(caller: Caller, texts: readonly (readonly [path: string, text: string])[], headers = {}) {
  const notes = texts.map(([path, text]) => ({ path, content_hash: hash('sha256', text) }));
  const { status, body } = await caller.post('/sync/known', { notes }, headers);
  assert.equal(status, 200, JSON.stringify(body));
  return body.notes;
}

onEachEngine('POST /sync/known', (open) => {
  const start = oneServer(() => ({ open }));

  test('[3.11] tells live texts from earlier ones, and leaves out all others', async () => {
    const { alice } = await startNotes(await start());
    const { id: a } = await alice.write('a.md', 'first');
    await alice.write('a.md', 'second');
    await alice.write('a.md', 'first');
    await alice.write('a.md', 'third');
    const { id: b } = await alice.write('Folder/b.md', 'only');
    await alice.write('gone.md', 'gone');
    await alice.remove('gone.md');
    const { change_seq: seq } = (await alice.caller.get('/sync/manifest')).body;
    const found = await known(alice.caller, [
      ['folder/./B.md', 'only'],
      ['a.md', 'first'],
      ['a.md', 'second'],
      ['a.md', 'never'],
      ['a.md', 'third'],
      ['gone.md', 'gone'],
      ['Folder/b.md', 'third'],
      ['nowhere.md', 'only'],
    ]);
    assert.deepEqual(found, [
      { path: 'folder/./B.md', id: b, version: 1, current: true },
      { path: 'a.md', id: a, version: 3, current: false },
      { path: 'a.md', id: a, version: 2, current: false },
      { path: 'a.md', id: a, version: 4, current: true },
    ]);
    assert.equal((await alice.caller.get('/sync/manifest')).body.change_seq, seq);
  });

  test('[3.11] follows a note to its new path, and an edit over a socket is its live text', async () => {
    const { alice } = await startNotes(await start());
    await alice.write('a.md', 'first');
    const { id } = await alice.write('a.md', 'second');
    await alice.caller.post('/notes/rename', { old_path: 'a.md', new_path: 'b.md' });
    const found = await known(alice.caller, [
      ['a.md', 'second'],
      ['b.md', 'first'],
      ['b.md', 'second'],
    ]);
    assert.deepEqual(found, [
      { path: 'b.md', id, version: 1, current: false },
      { path: 'b.md', id, version: 2, current: true },
    ]);
  });

  test('[3.11] tells viewers of live texts alone, and readers of a vault that may see history of all', async () => {
    const { alice, bob, carol, headers, server, join } = await startShared(await start());
    await alice.post('/notes', { path: 'a.md', content: 'two', mtime: 1 }, headers);
    await join(bob, 'viewer');
    await join(carol, 'editor');
    const { key } = (await alice.post('/connections/pat', { name: 'reader', default_access: 'read' })).body;
    const texts = [
      ['a.md', 'one'],
      ['a.md', 'two'],
    ] as const;
    const both = await known(alice, texts, headers);
    assert.deepEqual(
      both.map(({ version, current }: { version: number; current: boolean }) => [version, current]),
      [
        [1, false],
        [2, true],
      ],
    );
    assert.deepEqual(await known(carol, texts, headers), both);
    assert.deepEqual(await known(server.bearer(key), texts, headers), both);
    assert.deepEqual(await known(bob, texts, headers), [both[1]]);
  });

  test('[3.11] takes 500 notes at most, and refuses what is no path of a note', async () => {
    await using notes = await startNotes(await start());
    const { caller } = notes.alice;
    const many = (count: number) => Array.from({ length: count }, (_, at) => [`${at}.md`, ''] as const);
    assert.deepEqual(await known(caller, []), []);
    assert.deepEqual(await known(caller, many(KNOWN_NOTES_MAX)), []);
    const post = async (body: object) => {
      const answer = await caller.post('/sync/known', body);
      return [answer.status, answer.body.error ?? Object.keys(answer.body.errors)];
    };
    const items = many(KNOWN_NOTES_MAX + 1).map(([path]) => ({ path, content_hash: '' }));
    const { status, body } = await caller.post('/sync/known', { notes: items });
    assert.deepEqual([status, body], [400, { error: 'too_many_notes', errors: 'too_many_notes', max: 500 }]);
    for (const path of ['a.png', '../a.md', ''])
      assert.deepEqual(await post({ notes: [{ path, content_hash: '' }] }), [422, ['notes']], path);
    for (const faulty of [{}, { notes: {} }, { notes: ['a.md'] }, { notes: [{ path: 'a.md' }] }])
      assert.equal((await post(faulty))[0], 422, JSON.stringify(faulty));
  });

  test('[3.11] compares the newest stored versions of each note, and none that is damaged', async () => {
    const { alice, server } = await startNotes(await start());
    const ids: NoteId[] = [];
    for (const path of ['a.md', 'b.md', 'c.md'])
      for (let version = 1; version <= (path === 'c.md' ? 1 : 5); version++)
        ids.push((await alice.write(path, `${path} ${version}`)).id);
    const vault = alice.vault as VaultId;
    const rows = await server.db.allMany(findNewestVersions, { vault, count: 3 }, [...new Set(ids)]);
    assert.deepEqual(
      rows.map(({ version }) => version),
      [4, 3, 2, 4, 3, 2],
    );
    await using raw = await rawOf(server.db);
    await raw.run(
      'update note_versions set meta = $2 where note_id = $1 and version = 2',
      ids[0] ?? '',
      Buffer.alloc(64),
    );
    const found = await known(alice.caller, [
      ['a.md', 'a.md 2'],
      ['a.md', 'a.md 1'],
    ]);
    assert.deepEqual(
      found.map(({ version }: { version: number }) => version),
      [1],
    );
  });
});
