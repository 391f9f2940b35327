import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { type LiveNote, LiveNoteEnded } from '@notevault/client/live/live-note.ts';
import { LiveSocket, type LiveSocketOptions } from '@notevault/client/live/live-socket.ts';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { VaultWatch } from '@notevault/client/signals/vault-watch.ts';
import { fixedToken, type TokenSource } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import { Doc } from 'yjs';
import { FlakySocket } from '../../kit/clients/provider-clients.ts';
import { TcpLine } from '../../kit/clients/tcp-line.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { oneServer, type TestServer } from '../../kit/server.ts';
import { until, untilInTime } from '../../kit/until.ts';

const QUICK = { firstDelayMs: 20, longestDelayMs: 100 };

/** Waits for the answer to a refused token, which the server gives a moment later by its clock. */
const refusedOnce = ({ clock }: TestServer, isAnswered: () => boolean) =>
  untilInTime(clock, isAnswered, 'the refusal of a token');

/** Cuts the connection, and adds a line to the note that the server does not get. */
async function typeOffline(line: TcpLine, socket: LiveSocket, live: LiveNote): Promise<void> {
  line.down = true;
  line.cut();
  await until(() => !socket.isConnected && !live.state.isSynced);
  live.text.insert(live.text.length, 'offline\n');
}

onEachEngine('the live socket of the client package', (open) => {
  const start = oneServer(() => ({ open }));

  /** A vault with one note, and the tokens to edit it. */
  async function makeVault() {
    const server = await start();
    const tokens = fixedToken((await server.alice.post('/api-keys', { name: 'client' })).body.key);
    const client = new NotevaultClient(new Transport(server.url, tokens));
    const vault = client.vault((await client.createVault('Notes')).id);
    const note = await vault.upsertNote({ path: 'a.md', content: 'one\n', mtime: 1 });
    return { server, vault, note, tokens };
  }

  /** A note that is open over a line that can be cut, until the test ends. */
  async function openOverLine(t: TestContext, options: LiveSocketOptions = QUICK) {
    const { server, vault, note, tokens } = await makeVault();
    const opened = new AsyncDisposableStack();
    t.after(() => opened.disposeAsync());
    const line = opened.use(new TcpLine(server.url));
    const socket = opened.use(new LiveSocket(await line.open(), tokens, options));
    const live = opened.use(socket.open(note.id));
    await live.synced();
    return { vault, line, socket, live };
  }

  it('edits notes with others, and says when the edits are on disk', async () => {
    const { server, vault, note, tokens } = await makeVault();
    using desk = new LiveSocket(server.url, tokens, QUICK);
    using phone = new LiveSocket(`${server.url}/api/`, tokens, QUICK);
    using one = desk.open(note.id);
    using other = phone.open(note.id);
    await Promise.all([one.synced(), other.synced()]);
    const states: boolean[] = [];
    one.onState(({ isSaved }) => states.push(isSaved));
    one.text.insert(0, 'zero\n');
    assert.equal(one.state.isSaved, false);
    await one.saved();
    assert.deepEqual([states.at(0), states.at(-1)], [false, true]);
    assert.equal(one.state.canWrite, true);
    assert.equal((await vault.readNote('a.md'))?.content, 'zero\none\n');
    await until(() => other.text.toString() === 'zero\none\n');
  });

  it('continues after a lost connection with the edits made offline', async (t) => {
    const { vault, line, socket, live } = await openOverLine(t);
    await typeOffline(line, socket, live);
    await vault.upsertNote({ path: 'a.md', content: 'zero\none\n', mtime: 2 });
    assert.equal(live.state.isSaved, false);
    line.down = false;
    await live.saved();
    assert.equal((await vault.readNote('a.md'))?.content, 'zero\none\noffline\n');
    await until(() => live.text.toString() === 'zero\none\noffline\n');
  });

  it('gives up a connection that hangs, and sends what it held', async (t) => {
    const { vault, line, socket, live } = await openOverLine(t);
    line.hang();
    live.text.insert(live.text.length, 'held\n');
    assert.deepEqual([socket.isConnected, live.state.isSaved], [true, false]);
    socket.reconnect();
    assert.equal(socket.isConnected, false);
    await live.saved();
    assert.equal((await vault.readNote('a.md'))?.content, 'one\nheld\n');
  });

  it('[7.7] does not take an edit for refused that is sent before those made offline', async (t) => {
    const { vault, line, socket, live } = await openOverLine(t);
    await typeOffline(line, socket, live);
    let isTyped = false;
    live.onState(({ isSynced, end }) => {
      if (isTyped || isSynced || end !== null || !socket.isConnected) return;
      isTyped = true;
      live.text.insert(live.text.length, 'early\n');
    });
    line.down = false;
    await until(() => isTyped);
    await live.saved();
    assert.equal(live.state.isRejected, false);
    assert.equal((await vault.readNote('a.md'))?.content, 'one\noffline\nearly\n');
  });

  it('sends in one what is typed within a moment', async () => {
    const { server, vault, note, tokens } = await makeVault();
    let sent = 0;
    class Counting extends WebSocket {
      override send(data: Parameters<WebSocket['send']>[0]): void {
        sent++;
        super.send(data);
      }
    }
    using socket = new LiveSocket(server.url, tokens, { ...QUICK, gatherMs: 20, webSocket: Counting });
    using live = socket.open(note.id);
    await live.saved();
    sent = 0;
    for (const letter of 'two') live.text.insert(live.text.length, letter);
    assert.deepEqual([live.state.isSaved, sent], [false, 0]);
    await live.saved();
    assert.equal(sent, 1);
    assert.equal((await vault.readNote('a.md'))?.content, 'one\ntwo');
  });

  it('counts what is typed after a connection, though older edits wait', async (t) => {
    const { vault, line, socket, live } = await openOverLine(t, { ...QUICK, gatherMs: 3_600_000 });
    await typeOffline(line, socket, live);
    line.down = false;
    await live.saved();
    assert.equal((await vault.readNote('a.md'))?.content, 'one\noffline\n');
    live.text.insert(live.text.length, 'late\n');
    assert.equal(live.state.isSaved, false);
    live[Symbol.dispose]();
    await until(async () => (await vault.readNote('a.md'))?.content === 'one\noffline\nlate\n');
  });

  it('connects at once when it is told that the network is back, however long the delay is', async (t) => {
    const { line, socket, live } = await openOverLine(t, { firstDelayMs: 3_600_000, longestDelayMs: 3_600_000 });
    await typeOffline(line, socket, live);
    line.down = false;
    socket.connectNow();
    await live.saved();
  });

  /** Signals of a vault through a network, by each of the two clients for them. */
  const SIGNALS = {
    'the live socket': (url: string, vaultId: string, tokens: TokenSource) => {
      const socket = new LiveSocket(url, tokens, QUICK);
      return {
        signals: socket.watch(vaultId),
        isConnected: () => socket.isConnected,
        end: () => socket[Symbol.dispose](),
      };
    },
    'the watch without Yjs': (url: string, vaultId: string, tokens: TokenSource) => {
      const signals = new VaultWatch(url, vaultId, tokens, QUICK);
      return { signals, isConnected: () => signals.isConnected, end: () => signals.close() };
    },
  };

  for (const [name, begin] of Object.entries(SIGNALS)) {
    it(`${name} of the client package signals changes of a vault, also after a lost connection`, async () => {
      const { server, vault, tokens } = await makeVault();
      await using line = new TcpLine(server.url);
      using leaving = new DisposableStack();
      const { signals, isConnected, end: leave } = begin(await line.open(), vault.id, tokens);
      leaving.defer(leave);
      await signals.next(20_000);
      await until(isConnected);
      const paths: string[] = [];
      const end = new AbortController();
      const following = (async () => {
        const wait = () => signals.next(20_000, end.signal);
        for await (const page of vault.follow(null, { wait, signal: end.signal })) {
          paths.push(...page.map(({ path }) => path));
        }
      })();
      await until(() => paths.length === 1);
      await vault.upsertNote({ path: 'b.md', content: '', mtime: 1 });
      await until(() => paths.length === 2);
      line.down = true;
      line.cut();
      await until(() => !isConnected());
      await vault.upsertNote({ path: 'c.md', content: '', mtime: 1 });
      line.down = false;
      await until(() => paths.length === 3);
      assert.deepEqual(paths, ['a.md', 'b.md', 'c.md']);
      end.abort();
      await following;
      leave();
      assert.equal(signals.end, 'left');
    });
  }

  it('the watch without Yjs says who has the vault open, and ends with the reason of the server', async () => {
    const { server, vault, note, tokens } = await makeVault();
    using watches = new DisposableStack();
    const watching = (of: TokenSource) =>
      watches.adopt(new VaultWatch(server.url, vault.id, of, QUICK), (watch) => watch.close());
    const watch = watching(tokens);
    await until(() => watch.isConnected);
    using line = new FlakySocket(server.url);
    using present = await line.open(`vault:${vault.id}`, (await tokens.token()) ?? '').synced();
    present.provider.awareness?.setLocalState({ note: note.id });
    await until(() => watch.present.length === 1);
    assert.equal(watch.present[0]?.userId, (await server.alice.get('/me')).body.user.id);
    present.provider.destroy();
    await until(() => watch.present.length === 0);
    const hopeless = watching({ token: async () => 'nv_key_worse', refresh: async () => 'nv_key_worst' });
    await refusedOnce(server, () => hopeless.end !== null);
    assert.equal(hopeless.end, 'permission-denied');
  });

  it('replaces a token that is refused, and ends when the next one is refused too', async () => {
    const { server, note, tokens } = await makeVault();
    let refreshed = 0;
    const expired = (next: string | null): TokenSource => {
      let token: string | null = 'nv_ses_expired';
      return {
        token: async () => token,
        async refresh() {
          refreshed += 1;
          token = next;
          return token;
        },
      };
    };
    using socket = new LiveSocket(server.url, expired(await tokens.token()), QUICK);
    using live = socket.open(note.id);
    await refusedOnce(server, () => refreshed === 1);
    await live.synced();
    assert.deepEqual([refreshed, live.text.toString()], [1, 'one\n']);
    using hopeless = new LiveSocket(server.url, expired('nv_ses_worse'), QUICK);
    using denied = hopeless.open(note.id);
    await refusedOnce(server, () => denied.state.end !== null);
    await assert.rejects(denied.synced(), new LiveNoteEnded('permission-denied'));
    assert.equal(refreshed, 2);
  });

  it('ends a note that is deleted or of a foreign beginning, and says when an edit is refused', async () => {
    const { server, vault, note, tokens } = await makeVault();
    const pat = { name: 'reader', default_access: 'read' };
    const reading = (await server.alice.post('/connections/pat', pat)).body.key as string;
    using socket = new LiveSocket(server.url, tokens, QUICK);
    const own = new Doc();
    own.getText('content').insert(0, 'begun without the server');
    using foreign = socket.open(note.id, own);
    await until(() => foreign.state.end !== null);
    assert.equal(foreign.state.end, 'foreign_lineage');
    assert.equal(foreign.text.toString(), 'begun without the server');
    using reader = new LiveSocket(server.url, fixedToken(reading), QUICK);
    using watching = reader.open(note.id);
    await watching.synced();
    assert.equal(watching.state.canWrite, false);
    watching.text.insert(0, 'not allowed');
    await assert.rejects(watching.saved(), new LiveNoteEnded('rejected'));
    using live = socket.open(note.id);
    await live.synced();
    await vault.deleteNote(note.id);
    await until(() => live.state.end !== null);
    assert.equal(live.state.end, 'note_deleted');
    await assert.rejects(live.saved(AbortSignal.timeout(20_000)), new LiveNoteEnded('note_deleted'));
  });
});
