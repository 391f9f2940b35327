/** Live documents over sockets, tested with the Hocuspocus provider as clients use it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlakySocket } from '../../../../../test/kit/clients/provider-clients.ts';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { keyOf, startNotes, tokenOf } from '../../../../../test/kit/notes.ts';
import { startServer } from '../../../../../test/kit/server.ts';
import { until, untilInTime } from '../../../../../test/kit/until.ts';
import { MemoryHub } from '../../../../ports/bus/memory.ts';

onEachEngine('who may go on over a socket', (open) => {
  test('[9.8] an expired token closes nothing; an ended session closes its documents', async () => {
    await using at = await startNotes({ open });
    const note = await at.alice.write('a.md', 'a');
    using line = new FlakySocket(at.server.url);
    const { accessToken } = await at.server.alice.signed();
    using a = await line.open(note.id, accessToken).synced();
    at.server.clock.advance({ hours: 1 });
    assert.equal((await at.server.bearer(accessToken).get('/me')).status, 401);
    a.type('!');
    await a.synced();
    at.server.app.sockets.tick();
    a.type('?');
    await a.synced();
    const again = await at.server.alice.logIn();
    using b = await line.open(`${note.id}\0b`, again.body.access_token).synced();
    await at.server.bearer(again.body.access_token).post('/auth/logout');
    await until(() => b.received.closed.length > 0);
    assert.deepEqual([b.received.denied, b.received.closed, a.received.closed], [['revoked'], ['revoked'], []]);
    // The other way to end sessions: a password change ends all but the one that makes it.
    const fresh = await at.server.alice.logIn();
    const changed = await at.server.bearer(fresh.body.access_token).post('/auth/password/change', {
      old_password: at.server.alice.password,
      new_password: 'another long password',
    });
    assert.equal(changed.status, 200);
    await until(() => a.received.closed.length > 0);
    assert.deepEqual(a.received.closed, ['revoked']);
  });

  test('[11.2] deleting a vault or an account closes its open documents', async () => {
    await using at = await startNotes({ open });
    const bob = await at.bob();
    const other = (await at.server.bob.post('/vaults', { name: 'Other' })).body.vault.id;
    const a = await bob.write('a.md', 'a', {}, { 'x-vault-id': bob.vault });
    const inOther = (await bob.put('b.md', { content: 'b' }, { 'x-vault-id': other })).body.note;
    const { accessToken } = await at.server.bob.signed();
    using line = new FlakySocket(at.server.url);
    using note = await line.open(a.id, accessToken).synced();
    using vault = await line.open(`vault:${bob.vault}`, accessToken).synced();
    using elsewhere = await line.open(inOther.id, accessToken).synced();
    assert.equal((await at.server.bob.delete(`/vaults/${bob.vault}`)).status, 200);
    await until(() => note.received.closed.length > 0 && vault.received.closed.length > 0);
    assert.deepEqual([note.received.denied, note.received.closed], [['revoked'], ['revoked']]);
    elsewhere.type('!');
    await elsewhere.synced();
    assert.deepEqual(line.closes, [], 'the socket and what else is open on it stay');
    assert.equal((await at.server.bob.call('DELETE', '/me', { password: at.server.bob.password }, {})).status, 200);
    await until(() => elsewhere.received.closed.length > 0);
  });

  test('[11.1] with every hint lost, a revoked credential writes nothing a second later, and polling closes it', async () => {
    await using first = await startNotes({ open });
    const { db, clock, masterKey } = first.server;
    // Another process over the same database, without a bus between them.
    await using second = await startServer({ open: async () => db, clock, masterKey });
    const note = await first.alice.write('a.md', 'a');
    const [writer, watcher] = [await keyOf(first, 'write'), await keyOf(first, 'write')];
    using line = new FlakySocket(second.url);
    using a = await line.open(note.id, writer.token).synced();
    using b = await line.open(`${note.id}\0b`, watcher.token).synced();
    for (const { id } of [writer, watcher]) await first.server.alice.delete(`/connections/pat/${id}`);
    clock.advance({ ms: 1001 });
    a.type('!');
    await until(() => a.received.closed.length > 0);
    assert.equal((await first.alice.read('a.md')).body.content, 'a');
    assert.deepEqual(b.received.closed, []);
    clock.advance({ seconds: 30 });
    second.app.sockets.tick();
    await until(() => b.received.closed.length > 0);
    assert.deepEqual(b.received.denied, ['revoked']);
  });

  test('[11.1] once hints may have been missed, permissions are checked at the next look', async () => {
    await using first = await startNotes({ open });
    const { db, clock, masterKey } = first.server;
    const missed: (() => void)[] = [];
    const onMissed = (listener: () => void) => {
      missed.push(listener);
      return { [Symbol.dispose]: () => undefined };
    };
    const bus = { ...new MemoryHub().join(), onMissed };
    await using second = await startServer({ open: async () => db, clock, masterKey, bus });
    const note = await first.alice.write('a.md', 'a');
    const { id, token } = await keyOf(first, 'read');
    using line = new FlakySocket(second.url);
    using open_ = await line.open(note.id, token).synced();
    await first.server.alice.delete(`/connections/pat/${id}`);
    for (const listener of missed) listener();
    second.app.sockets.tick();
    await until(() => open_.received.closed.length > 0);
    assert.deepEqual(open_.received.denied, ['revoked']);
  });

  test('[9.12] documents per socket and sockets per user are limited', async () => {
    await using at = await startNotes({ open, config: { documentsPerSocket: 2, socketsPerUser: 2 } });
    const token = await tokenOf(at);
    const notes = await Promise.all([1, 2, 3].map((n) => at.alice.write(`n${n}.md`, 'x')));
    const [one, two, three] = notes.map(({ id }) => id as string) as [string, string, string];
    using line = new FlakySocket(at.server.url);
    using a = await line.open(one, token).synced();
    using b = await line.open(two, token).synced();
    using c = line.open(three, token);
    await untilInTime(at.server.clock, () => c.received.denied.length > 0);
    assert.deepEqual(c.received.denied, ['too-many-documents']);
    b.provider.detach();
    using again = await line.open(`${three}\0again`, token).synced();
    assert.equal(again.text, 'x');
    using second = new FlakySocket(at.server.url);
    using _second = await second.open(one, token).synced();
    using third = new FlakySocket(at.server.url, { maxAttempts: 1 });
    using _third = third.open(one, token);
    await until(() => third.closes.length > 0);
    assert.equal(third.closes[0], 1013);
    await second.cut();
    using fourth = new FlakySocket(at.server.url);
    using d = await fourth.open(one, token).synced();
    assert.equal(d.text, a.text);
  });
});
