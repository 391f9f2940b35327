/** Tests work in flight when somebody loses a vault, and two concurrent changes of its members. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as decoding from 'lib0/decoding';
import * as Y from 'yjs';
import { readStates, writeStates } from '../../src/domains/reading/sync/sockets/awareness.ts';
import { FlakySocket, YWebsocketClient } from '../kit/clients/provider-clients.ts';
import { kinds, message, RawSocket } from '../kit/clients/raw-socket.ts';
import { onEachEngine } from '../kit/engines.ts';
import type { Caller, Person } from '../kit/person.ts';
import { oneServer, startServer } from '../kit/server.ts';
import { sharedOnThree, startShared, tokenOf } from '../kit/shared-vault.ts';
import { until, untilInTime } from '../kit/until.ts';

type Shared = Awaited<ReturnType<typeof startShared>>;

const sessionOf = async (person: Person) => (await person.signed()).accessToken;

const CAROL = { email: 'carol@example.org', password: "carol's long password" };

async function textOf({ alice, headers, note }: Pick<Shared, 'alice' | 'headers' | 'note'>): Promise<string> {
  return (await alice.get(`/notes/by-id/${note}`, headers)).body.content;
}

onEachEngine('changes of who has a vault', (open) => {
  const start = oneServer(() => ({ open }));
  const startThree = sharedOnThree(open);
  test('[S2] [M3] removing a member ends what they have open of the vault in every process, and nothing else', async () => {
    const { shared, servers } = await startThree();
    const [, second, third] = servers;
    const { server, alice, bob, headers, note, vault, path } = shared;
    const bobs = await shared.join(bob, 'editor');
    const own = (await bob.post('/vaults', { name: 'Bob’s' })).body.vault.id;
    const mine = (await bob.post('/notes', { path: 'mine.md', content: 'mine', mtime: 1 }, { 'x-vault-id': own })).body;
    const token = await sessionOf(server.bob);
    using line = new FlakySocket(second.url);
    using typing = await line.open(note, token).synced();
    using feed = await line.open(`vault:${vault}`, token).synced();
    using elsewhere = await line.open(mine.note.id, token).synced();
    using plain = new YWebsocketClient(third.url, note, token);
    await until(() => plain.provider.synced, 'sync');
    const ticket = (await bob.post('/tickets', { operation: 'vault.export' }, headers)).body.url as string;
    typing.type(' typed');
    await typing.synced();
    assert.equal((await alice.delete(`${path}/${bobs}`)).status, 204);
    await until(() => typing.received.closed.length > 0 && feed.received.closed.length > 0 && plain.closes.length > 0);
    for (const { received } of [typing, feed])
      assert.deepEqual([received.denied, received.closed], [['revoked'], ['revoked']]);
    assert.deepEqual(plain.closes, [4403]);
    typing.type(' later');
    elsewhere.type('!');
    await elsewhere.synced();
    assert.deepEqual([line.closes, elsewhere.received.closed], [[], []], 'the socket and other vaults on it go on');
    assert.equal(await textOf(shared), 'one typed');
    for (const { url } of [server, second, third]) {
      assert.equal((await fetch(url + new URL(ticket).pathname)).status, 404);
      const answer = await fetch(`${url}/api/sync/changes`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
      assert.equal(answer.status, 404);
      using again = new FlakySocket(url);
      using closed = again.open(note, token);
      await untilInTime(server.clock, () => closed.received.denied.length > 0);
      assert.deepEqual(closed.received.denied, ['permission-denied']);
    }
  });

  test('[S2] with every hint lost, what a removed member has open elsewhere ends at the next check', async () => {
    await using shared = await startShared({ open });
    const { server, alice, bob, carol, note, vault, path } = shared;
    const bobs = await shared.join(bob, 'viewer');
    const carols = await shared.join(carol, 'editor');
    const { db, clock, masterKey, blobs } = server;
    // Another process over the same database, without a bus between them.
    await using second = await startServer({ open: async () => db, clock, masterKey, blobs });
    using line = new FlakySocket(second.url);
    using watching = await line.open(note, await sessionOf(server.bob)).synced();
    using feed = await line.open(`vault:${vault}`, await sessionOf(server.bob)).synced();
    using others = new FlakySocket(second.url);
    using hers = await others.open(note, (await server.anyone.post('/auth/login', CAROL)).body.access_token).synced();
    assert.equal((await alice.delete(`${path}/${bobs}`)).status, 204);
    second.app.sockets.tick();
    await until(() => watching.received.closed.length > 0 && feed.received.closed.length > 0, 'the end of both');
    assert.deepEqual([watching.received.denied, hers.received.closed], [['revoked'], []]);
    assert.equal((await alice.patch(`${path}/${carols}`, { role: 'viewer' })).status, 200);
    second.app.sockets.tick();
    await until(() => hers.received.scopes.at(-1) === 'readonly', 'the read-only scope');
  });

  test('[S2] a lowered role is told where a document is open, also if one that is opened after it finds it first', async () => {
    const { server, alice, bob, note, vault, path, join } = await startShared(await start());
    const bobs = await join(bob, 'editor');
    const { db, clock, masterKey, blobs } = server;
    await using second = await startServer({ open: async () => db, clock, masterKey, blobs });
    using line = new FlakySocket(second.url);
    using typing = await line.open(note, await sessionOf(server.bob)).synced();
    assert.equal((await alice.patch(`${path}/${bobs}`, { role: 'viewer' })).status, 200);
    using _feed = await line.open(`vault:${vault}`, await sessionOf(server.bob)).synced();
    await until(() => typing.received.scopes.at(-1) === 'readonly', 'the read-only scope');
  });

  test('[S2] an export in another process ends within a second of its maker losing the vault', async () => {
    const { shared, servers } = await startThree();
    const [, , third] = servers;
    const { server, alice, bob, headers, path } = shared;
    const bobs = await shared.join(bob, 'viewer');
    const files = Array.from({ length: 4 }, (_, i) => `f${i}.bin.txt`);
    const noise = Buffer.from(
      Array.from({ length: 300_000 }, () => String.fromCharCode(33 + Math.random() * 90)).join(''),
    );
    for (const file of files) {
      const put = await alice.put(`/attachments/${file}`, noise, { ...headers, 'content-type': 'text/plain' });
      assert.equal(put.status, 200, JSON.stringify(put.body));
    }
    const ticket = (await bob.post('/tickets', { operation: 'vault.export' }, headers)).body.url as string;
    const opened = await third.app.tickets.open(ticket.slice(ticket.lastIndexOf('/') + 1));
    assert.ok('zip' in opened);
    const pieces = (await opened.zip())[Symbol.asyncIterator]();
    assert.equal((await pieces.next()).done, false);
    await alice.delete(`${path}/${bobs}`);
    server.clock.advance({ seconds: 1 });
    await assert.rejects(
      async () => {
        while ((await pieces.next()).done !== true);
      },
      { code: 'vault_header_not_found' },
    );
  });

  test('[M6] nothing that a removed member had opens the vault again, on any socket or process', async () => {
    const { shared, servers } = await startThree();
    const [, second, third] = servers;
    const { server, alice, bob, note, vault, path } = shared;
    const bobs = await shared.join(bob, 'editor');
    const own = (await bob.post('/vaults', { name: 'Bob’s' })).body.vault.id as string;
    const reach = { name: 'both', vault_access: { [vault]: 'write', [own]: 'write' } };
    const [session, { key }] = [await sessionOf(server.bob), (await bob.post('/connections/pat', reach)).body];
    using line = new FlakySocket(server.url);
    using _session = await line.open(note, session).synced();
    using _key = await line.open(`${note}\0key`, key as string).synced();
    assert.equal((await alice.delete(`${path}/${bobs}`)).status, 204);
    using again = new FlakySocket(second.url);
    for (const each of [line, again]) {
      for (const [at, token] of [session, key as string].entries()) {
        for (const name of [`${note}\0again ${at}`, `vault:${vault}`]) {
          using closed = each.open(name, token);
          await untilInTime(server.clock, () => closed.received.denied.length > 0, name);
          assert.deepEqual([closed.received.denied, closed.text], [['permission-denied'], '']);
        }
      }
    }
    for (const token of [session, key as string]) {
      using plain = new YWebsocketClient(third.url, note, token);
      await untilInTime(server.clock, () => plain.closes.length > 0, 'its end');
      assert.deepEqual([plain.closes[0], plain.doc.getText('content').toString()], [4404, '']);
    }
  });

  test('[M7] of a socket only the documents end that were lost: those of one vault, or of one credential', async () => {
    const { server, alice, bob, note, path, join } = await startShared(await start());
    const bobs = await join(bob, 'editor');
    const other = (await alice.post('/vaults', { name: 'Other' })).body.vault.id as string;
    const { url } = (await alice.post(`/vaults/${other}/invitations`, { role: 'editor' })).body;
    assert.equal((await bob.post(`/invitations/${tokenOf(url)}/accept`)).status, 200);
    const write = async (caller: Caller, vault: string): Promise<string> =>
      (await caller.post('/notes', { path: 'b.md', content: 'b', mtime: 1 }, { 'x-vault-id': vault })).body.note.id;
    const own = (await bob.post('/vaults', { name: 'Bob’s' })).body.vault.id as string;
    const [inOther, inOwn] = [await write(alice, other), await write(bob, own)];
    const { id, key } = (await bob.post('/connections/pat', { name: 'key', vault_access: { [other]: 'write' } })).body;
    const session = await sessionOf(server.bob);
    using line = new FlakySocket(server.url);
    using lost = await line.open(note, session).synced();
    using shared_ = await line.open(inOther, session).synced();
    using byKey = await line.open(`${inOther}\0key`, key).synced();
    using mine = await line.open(inOwn, session).synced();
    const goesOn = async (editor: typeof mine) => {
      editor.type('!');
      await editor.synced();
      assert.deepEqual([editor.received.denied, editor.received.closed], [[], []]);
    };
    await alice.delete(`${path}/${bobs}`);
    await until(() => lost.received.closed.length > 0, 'the end of the lost note');
    for (const editor of [shared_, byKey, mine]) await goesOn(editor);
    await bob.delete(`/connections/pat/${id}`);
    await until(() => byKey.received.closed.length > 0, 'the end of what the key opened');
    for (const editor of [shared_, mine]) await goesOn(editor);
    assert.deepEqual(line.closes, []);
  });

  test('[S3] [M5] a lowered role refuses what was typed offline, which stays with its writer, and holds up nobody else', async () => {
    const { shared, servers } = await startThree();
    const [, second] = servers;
    const { server, alice, bob, note, path } = shared;
    const bobs = await shared.join(bob, 'editor');
    using hers = new FlakySocket(server.url);
    using alices = await hers.open(note, await sessionOf(server.alice)).synced();
    using near = new FlakySocket(server.url);
    using far = new FlakySocket(second.url);
    using other = new FlakySocket(second.url);
    using unharmed = await other.open(note, await sessionOf(server.alice)).synced();
    const editors = [
      await near.open(`${note}\0near`, await sessionOf(server.bob)).synced(),
      await far.open(`${note}\0far`, await sessionOf(server.bob)).synced(),
    ];
    for (const line of [near, far]) await line.cut();
    for (const editor of editors) editor.type(' unsent', 0);
    assert.equal((await alice.patch(`${path}/${bobs}`, { role: 'viewer' })).status, 200);
    // While he comes back, with updates that are refused, each letter of hers is stored before the next.
    const back = Promise.all([near.mend(), far.mend()]);
    let text = 'one';
    const typed = async () => {
      text += '.';
      alices.type('.');
      await alices.synced();
      assert.equal(await textOf(shared), text);
    };
    for (let at = 0; at < 5; at++) await typed();
    await back;
    for (const editor of editors) {
      await until(() => editor.received.scopes.at(-1) === 'readonly', 'the read-only scope');
      await until(() => editor.text.includes(text.slice('one'.length)), 'what she typed');
      editor.type('?');
    }
    for (let at = 0; at < 5; at++) await typed();
    await until(() => unharmed.text === text, 'what she typed, in another process');
    for (const editor of editors) {
      assert.ok(editor.text.includes(' unsent'), 'the text stays where it was typed');
      assert.ok(editor.provider.hasUnsyncedChanges, 'and is not taken for stored');
      assert.deepEqual([editor.received.denied, editor.received.closed], [[], []]);
      editor[Symbol.dispose]();
    }
    assert.deepEqual([near.closes.length, far.closes.length], [1, 1], 'their own cut only');
    assert.equal(await textOf(shared), text);
  });

  test('a lowered role makes an open editor read-only and says so', async () => {
    const { server, alice, bob, headers, note, path, join } = await startShared(await start());
    const bobs = await join(bob, 'editor');
    const token = await sessionOf(server.bob);
    using line = new FlakySocket(server.url);
    using editor = await line.open(note, token).synced();
    using plain = new YWebsocketClient(server.url, note, token);
    await until(() => plain.provider.synced, 'sync');
    await alice.patch(`${path}/${bobs}`, { role: 'viewer' });
    await until(() => editor.received.scopes.at(-1) === 'readonly', 'the read-only scope');
    editor.type('!');
    plain.doc.getText('content').insert(0, '?');
    await until(() => plain.closes.includes(4403));
    assert.equal(await textOf({ alice, headers, note }), 'one');
    await alice.patch(`${path}/${bobs}`, { role: 'editor' });
    await until(() => editor.received.scopes.at(-1) === 'read-write', 'the scope to write');
  });

  test('[S4] [M4] raw frames of a viewer change nothing, reach nobody, and are answered with a refusal', async () => {
    await using shared = await startShared(await start());
    const { server, bob, note } = shared;
    await shared.join(bob, 'viewer');
    using hers = new FlakySocket(server.url);
    using watcher = await hers.open(note, await sessionOf(server.alice)).synced();
    using socket = await RawSocket.open(server.url);
    socket.send(message.token(note, await sessionOf(server.bob)));
    socket.send(message.step1(note));
    await socket.waitFor(kinds.sync);
    const doc = new Y.Doc();
    doc.getText('content').insert(0, 'forged');
    const update = Y.encodeStateAsUpdate(doc);
    socket.send(message.update(note, update));
    socket.send(message.step2(note, update));
    const statuses = () => socket.messages.filter(({ kind }) => kind === kinds.status).map(({ body }) => body[0]);
    await until(() => statuses().length === 2);
    assert.deepEqual(statuses(), [0, 0]);
    watcher.type('!');
    await watcher.synced();
    assert.equal(watcher.text, 'one!');
    assert.equal(await textOf(shared), 'one!');
  });

  test('[S4] awareness of a viewer with a foreign id changes nothing of the other, and says who it is from', async () => {
    const { shared, servers } = await startThree();
    const [, second] = servers;
    const { server, alice, bob, note } = shared;
    await alice.patch('/me', { display_name: 'Alice' });
    await bob.patch('/me', { display_name: 'Bob' });
    const bobs = await shared.join(bob, 'viewer');
    using hers = new FlakySocket(server.url);
    using watcher = await hers.open(note, await sessionOf(server.alice)).synced();
    watcher.provider.setAwarenessField('user', { name: 'hers' });
    const { awareness } = watcher.provider;
    assert.ok(awareness);
    const states = () => Object.fromEntries(awareness.getStates()) as Record<number, object>;
    // In the same process, and in another, which has heard of her client.
    for (const [at, url] of [server.url, second.url].entries()) {
      using socket = await RawSocket.open(url);
      socket.send(message.token(note, await sessionOf(server.bob)));
      socket.send(message.step1(note));
      await socket.waitFor(kinds.awareness);
      const own = 1000 + at;
      const forged = { user: { name: 'hers' }, actor: { user_id: 'x' } };
      const claims = [awareness.clientID, own].map((client) => ({ client, clock: 99, state: JSON.stringify(forged) }));
      socket.send(message.awareness(note, writeStates(claims)));
      socket.send(message.awareness(note, writeStates([{ client: awareness.clientID, clock: 100, state: null }])));
      await until(() => own in states(), 'his own');
      const actor = { user_id: bobs, display_name: 'Bob', kind: 'session' };
      assert.deepEqual(states(), { [awareness.clientID]: { user: { name: 'hers' } }, [own]: { ...forged, actor } });
      const echoed = { user_id: await shared.idOf(alice), display_name: 'Alice', kind: 'session' };
      using third = await RawSocket.open(url);
      third.send(message.token(note, await sessionOf(server.bob)));
      const { body } = await third.waitFor(kinds.awareness);
      const found: { readonly state: string | null } | undefined = readStates(
        decoding.readVarUint8Array(decoding.createDecoder(body)),
      )?.find(({ client }) => client === awareness.clientID);
      assert.deepEqual(JSON.parse(found?.state ?? ''), { user: { name: 'hers' }, actor: echoed });
    }
  });

  test('of two hand-overs at once one counts, and there is one owner', async () => {
    const { alice, bob, carol, path, join } = await startShared(await start());
    const ids = [await join(bob, 'editor'), await join(carol, 'viewer')];
    const answers = await Promise.all(ids.map((id) => alice.patch(`${path}/${id}`, { role: 'owner' })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403]);
    const roles = (await alice.get(path)).body.members.map(({ role }: { role: string }) => role);
    assert.deepEqual(roles.filter((role: string) => role === 'owner').length, 1);
    assert.equal(roles.length, 3);
  });

  test('accepting and withdrawing an invitation at once leave a member or none, and never both', async () => {
    const { alice, bob, vault, path, invite } = await startShared(await start());
    await bob.get('/me');
    for (let round = 0; round < 5; round++) {
      const { id, token } = await invite({ role: 'viewer' });
      const [accepted, withdrawn] = await Promise.all([
        bob.post(`/invitations/${token}/accept`),
        alice.delete(`/vaults/${vault}/invitations/${id}`),
      ]);
      const { members } = (await alice.get(path)).body;
      assert.equal(accepted.status === 200, members.length === 2);
      assert.equal(withdrawn.status, 204);
      if (members.length === 2) await bob.delete(`${path}/${members[1].user_id}`);
    }
  });

  test('deleting an account while its invitation is accepted leaves either both or neither', async () => {
    const { server, bob, carol } = await startShared(await start());
    await server.alice.signed();
    const own = (await bob.post('/vaults', { name: 'Bob’s' })).body.vault.id;
    const { url } = (await bob.post(`/vaults/${own}/invitations`, { role: 'viewer' })).body;
    await carol.get('/me');
    const [accepted, deleted] = await Promise.all([
      carol.post(`/invitations/${tokenOf(url)}/accept`),
      bob.delete('/me', { password: server.bob.password }),
    ]);
    if (deleted.status === 200) assert.equal(accepted.status, 404, JSON.stringify(accepted.body));
    else assert.deepEqual([deleted.status, accepted.status], [409, 200]);
    const listed = (await carol.get('/vaults')).body.vaults.some(({ id }: { id: string }) => id === own);
    assert.equal(listed, accepted.status === 200);
  });

  test('writes at the moment of a removal are stored whole or refused, and none comes after it', async () => {
    const { alice, bob, headers, path, join } = await startShared(await start());
    const bobs = await join(bob, 'editor');
    const write = (caller: Caller, at: number) =>
      caller.post('/notes', { path: `w${at}.md`, content: `${at}`, mtime: 1 }, headers);
    const writes = Array.from({ length: 20 }, (_, at) => write(bob, at));
    const [removed, ...answers] = await Promise.all([alice.delete(`${path}/${bobs}`), ...writes]);
    assert.equal(removed.status, 204);
    assert.ok(answers.every(({ status }) => status === 200 || status === 404));
    const { notes } = (await alice.get('/sync/manifest', headers)).body;
    assert.equal(notes.length, 1 + answers.filter(({ status }) => status === 200).length);
    assert.equal((await write(bob, 99)).status, 404);
  });
});
