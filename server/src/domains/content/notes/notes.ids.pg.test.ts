import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { notesOnOneServer, startNotes } from '../../../../test/kit/notes.ts';
import { builtinPlans } from '../../foundation/plans/plans.ts';

const mint = () => crypto.randomUUID().toUpperCase();
const device = (name: string) => ({ 'x-device-id': name });

onEachEngine('ids of notes', (open) => {
  const start = notesOnOneServer(open);

  test('a free client-minted id is honoured, of any version and case', async () => {
    const minted = mint();
    const { alice } = await start();
    assert.equal((await alice.write('a.md', 'a', { id: minted })).id, minted.toLowerCase());
    // Where there is a note already, the id says nothing.
    assert.equal((await alice.write('a.md', 'b', { id: crypto.randomUUID() })).id, minted.toLowerCase());
  });

  test('what is no UUID is as if it had not been sent', async () => {
    const minted = mint();
    const { alice } = await start();
    for (const [at, id] of ['', 'x', `${minted}0`, `{${minted}}`, null].entries()) {
      assert.match((await alice.write(`${at}.md`, 'a', { id })).id, /^[0-9a-f-]{36}$/);
    }
  });

  test('the id of a live note elsewhere is a conflict that shows the note', async () => {
    const minted = mint();
    const { alice } = await start();
    const note = await alice.write('a.md', '[[x]]', { id: minted });
    const answer = await alice.put('b.md', { id: minted });
    assert.equal(answer.status, 409);
    assert.deepEqual(answer.body, { error: 'conflict', conflict: true, server_path: 'a.md', server_note: note });
    assert.equal((await alice.read('b.md')).status, 404);
  });

  test('where another note has the path, the id of a live note is a conflict that shows the note it names', async () => {
    const minted = mint();
    const { alice } = await start();
    const meant = await alice.write('a.md', 'meant', { id: minted });
    const there = await alice.write('b.md', 'there');
    for (const content of ['new', 'there']) {
      const answer = await alice.put('b.md', { id: minted, content });
      assert.deepEqual(
        [answer.status, answer.body],
        [409, { error: 'conflict', conflict: true, server_path: 'a.md', server_note: meant }],
      );
    }
    assert.deepEqual((await alice.read('b.md')).body.version, there.version);
  });

  test('a version counts for the note that the id names, not for another one at the path', async () => {
    const { server, alice, bob } = await start();
    const gone = await alice.write('a.md', 'first\n');
    await alice.remove('a.md');
    server.clock.advance({ minutes: 2 });
    const there = await alice.write('a.md', 'other\n');
    await alice.write('a.md', 'other\nmore\n');
    const foreign = await (await bob()).write('a.md', 'his\n');
    for (const id of [gone.id, foreign.id, crypto.randomUUID()]) {
      for (const version of [gone.version, there.version, there.version + 1]) {
        const answer = await alice.put('a.md', { id, version, content: 'first\nedited\n' });
        assert.deepEqual([answer.status, answer.body.error], [409, 'version_conflict']);
        assert.equal(answer.body.server_note.content, 'other\nmore\n');
      }
    }
    const merged = await alice.write('a.md', 'mine\nother\n', { id: there.id, version: there.version });
    assert.equal(merged.content, 'mine\nother\nmore\n');
  });

  test('the id of a tombstone of this vault revives it, at any path, and goes on with its versions', async () => {
    const minted = mint();
    const { server, alice } = await start();
    const note = await alice.write('a.md', 'first\n', { id: minted });
    await alice.remove('a.md');
    server.clock.advance({ minutes: 2 });
    const revived = await alice.write('Other/b.md', 'second\n', { id: minted });
    assert.deepEqual(
      [revived.id, revived.version, revived.seq, revived.path, revived.created_at],
      [note.id, 2, 3, 'Other/b.md', note.created_at],
    );
    assert.equal((await alice.read('a.md')).status, 404);
    const merged = await alice.write('Other/b.md', 'second\nthird\n', { version: 2 });
    assert.deepEqual([merged.content, merged.version], ['second\nthird\n', 3]);
    assert.equal((await alice.put('a.md', { id: minted })).status, 409);
    await alice.remove('Other/b.md');
    const based = await alice.put('a.md', { id: minted, base_hash: merged.content_hash });
    assert.deepEqual([based.status, based.body.error, based.body.server_note], [409, 'version_conflict', null]);
  });

  test('an id of another vault is minted anew, live or deleted, and no answer tells', async () => {
    const minted = mint();
    await using notes = await start();
    const { server, alice } = notes;
    const bob = await notes.bob();
    const { id } = await alice.write('a.md', 'private', { id: minted });
    const taken = await bob.put('b.md', { id: minted });
    const fresh = await bob.put('c.md', { id: 'no uuid' });
    assert.deepEqual([taken.status, fresh.status], [200, 200]);
    assert.notEqual(taken.body.note.id, id);
    const shape = ({ body: { note } }: typeof taken) => ({
      ...note,
      id: 0,
      seq: 0,
      path: 0,
      content: 0,
      content_hash: 0,
      title: 0,
    });
    assert.deepEqual(shape(taken), shape(fresh));
    await alice.remove('a.md');
    assert.notEqual((await bob.write('d.md', 'x', { id: minted })).id, id);
    // The same holds between two vaults of one user.
    const second = (await server.alice.post('/vaults', { name: 'Second' })).body.vault.id;
    const copied = await alice.put('a.md', { id: minted }, { 'x-vault-id': second });
    assert.equal(copied.status, 200);
    assert.notEqual(copied.body.note.id, id);
  });

  test('for 60 s a deletion wins over the same note coming back from another device', async () => {
    const { server, alice } = await start();
    await alice.write('a.md', 'text', {}, device('phone'));
    await alice.remove('a.md', device('laptop'));
    server.clock.advance({ seconds: 59, ms: 999 });
    const refused = { error: 'conflict', conflict: true, reason: 'recently_deleted', server_note: null };
    for (const path of ['a.md', './A.MD']) {
      const answer = await alice.put(path, { content: 'text' }, device('phone'));
      assert.deepEqual([answer.status, answer.body], [409, refused]);
    }
    assert.equal((await alice.put('a.md', { content: 'other' }, device('phone'))).status, 200, 'another text is news');
    await alice.remove('a.md', device('laptop'));
    assert.equal((await alice.put('b.md', { content: 'other' }, device('phone'))).status, 200, 'another path is news');
    assert.equal((await alice.put('a.md', { content: 'other' }, device('laptop'))).status, 200, 'it deleted it itself');
    await alice.remove('a.md', device('laptop'));
    assert.equal((await alice.put('a.md', { content: 'other' })).status, 200, 'a client that is no device');
    await alice.remove('a.md', device('laptop'));
    server.clock.advance({ seconds: 60, ms: 1 });
    assert.equal((await alice.put('a.md', { content: 'other' }, device('phone'))).status, 200, 'a minute is over');
  });

  test('a device id over 64 bytes names no device', async () => {
    const { alice } = await start();
    await alice.write('a.md', 'text');
    await alice.remove('a.md', device('laptop'));
    assert.equal((await alice.put('a.md', { content: 'text' }, device('x'.repeat(64)))).status, 409);
    assert.equal((await alice.put('a.md', { content: 'text' }, device('x'.repeat(65)))).status, 200);
  });
});

onEachEngine('notes_cap', (open) => {
  const capped = (cap: number) => ({ ...builtinPlans.self_hosted, notes_cap: cap });
  const config = { plans: { ...builtinPlans, tiny: capped(2), tinier: capped(1) }, defaultPlan: 'tiny' };

  test('notes_cap refuses growth with every field, over all active vaults of the user', async () => {
    await using notes = await startNotes({ open, config });
    const { server, alice } = notes;
    const bob = await notes.bob();
    await alice.write('a.md');
    const second = (await server.alice.post('/vaults', { name: 'Second' })).body.vault.id;
    const elsewhere = { 'x-vault-id': second };
    await alice.write('b.md', 'b', {}, elsewhere);
    const limit = { reason: 'notes_cap_exceeded', limit_key: 'notes_cap', tier: 'tiny', upgrade_url: null };
    for (const headers of [{}, elsewhere]) {
      const answer = await alice.put('c.md', {}, headers);
      assert.equal(answer.status, 402);
      assert.deepEqual(answer.body, { error: 'limit_exceeded', ...limit, current: 2, limit: 2 });
    }
    assert.equal((await bob.put('a.md')).status, 200);
    // Deleting makes room, and so does deleting a vault.
    await alice.remove('a.md');
    await alice.write('c.md');
    await server.alice.delete(`/vaults/${second}`);
    assert.equal((await alice.put('d.md')).status, 200);
    assert.equal((await alice.put('e.md')).status, 402);
  });

  test('after a downgrade reading, editing and deleting go on; reviving is growth', async () => {
    await using notes = await startNotes({ open, config });
    const { server, alice } = notes;
    const { id } = await alice.write('a.md');
    await alice.write('b.md');
    await server.app.accounts.setPlan(server.alice.email, 'tinier');
    assert.equal((await alice.write('a.md', 'edited')).version, 2);
    assert.equal((await alice.read('b.md')).status, 200);
    const over = await alice.put('c.md');
    assert.deepEqual([over.status, over.body.tier, over.body.current, over.body.limit], [402, 'tinier', 2, 1]);
    assert.equal((await alice.remove('a.md')).status, 200);
    assert.equal((await alice.put('d.md', { id })).status, 402);
    await alice.remove('b.md');
    assert.equal((await alice.write('d.md', 'd', { id })).id, id);
  });
});
