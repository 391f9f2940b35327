/**
 * Clients of one note on two processes over one PostgreSQL database, and what happens to them when one process dies.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { AcknowledgingClient } from '../../kit/clients/acknowledging-client.ts';
import { FlakySocket, type HocuspocusClient } from '../../kit/clients/provider-clients.ts';
import { type FreshDatabase, freshPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { Caller } from '../../kit/person.ts';
import { Folder, type ServeProcess, startServe } from '../../kit/programs/process.ts';
import { registerAt } from '../../kit/setup-tokens.ts';
import { until } from '../../kit/until.ts';

const skip = whyNoPostgres() ?? false;
if (skip !== false) process.stderr.write(`NOT TESTED: two processes over one database: ${skip}\n`);

type Served = ServeProcess & { readonly url: string };

describe('[12.1] two processes over one database', { skip }, () => {
  const folder = new Folder();
  const credentials = { email: 'alice@example.org', password: 'a long enough password' };
  let [database, first, second]: [FreshDatabase?, Served?, Served?] = [];
  let token = '';

  const env = () => ({
    NOTEVAULT_DATA_DIR: folder.path,
    NOTEVAULT_DATABASE_URL: database?.url ?? '',
    NOTEVAULT_LOG_LEVEL: 'error',
  });
  const servers = (): [Served, Served] => {
    assert.ok(first !== undefined && second !== undefined);
    return [first, second];
  };
  const alice = (server: Served) => new Caller(server.url, async () => ({ authorization: `Bearer ${token}` }));

  before(async () => {
    database = await freshPostgres();
    first = await startServe({ env: env() });
    second = await startServe({ env: env() });
    token = (await registerAt(first.url, credentials)).body.access_token;
    await alice(first).post('/vaults', { name: 'Notes' });
  });
  after(async () => {
    for (const server of [first, second]) await server?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  async function newNote(path: string, content = ''): Promise<string> {
    return (await alice(servers()[0]).post('/notes', { path, content, mtime: 1 })).body.note.id;
  }

  /** The document of a note at each process. */
  async function onBoth(
    note: string,
  ): Promise<{ readonly here: HocuspocusClient; readonly there: HocuspocusClient } & Disposable> {
    const [one, two] = servers();
    const opened = new DisposableStack();
    const editors = [one, two].map(({ url }) => opened.use(opened.use(new FlakySocket(url)).open(note, token)));
    const [here, there] = editors as [HocuspocusClient, HocuspocusClient];
    for (const editor of editors) await editor.synced();
    return { here, there, [Symbol.dispose]: () => opened.dispose() };
  }

  test('relay edits to each other, one after the other', async () => {
    using at = await onBoth(await newNote('cross.md', 'text'));
    for (let round = 0; round < 60; round++) {
      const [from, to] = round % 2 === 0 ? [at.here, at.there] : [at.there, at.here];
      from.type(`${round % 10}`);
      await to.shows(from.text);
    }
    await Promise.all([at.here.synced(), at.there.synced()]);
    const { body } = await alice(servers()[1]).get('/notes/cross.md');
    assert.equal(body.content, at.here.text);
  });

  test('merge concurrent typing at both into one text', async () => {
    using at = await onBoth(await newNote('both.md', '|'));
    for (let round = 0; round < 200; round++) {
      at.here.type('h', 0);
      at.there.type('t');
      if (round % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const whole = `${'h'.repeat(200)}|${'t'.repeat(200)}`;
    await at.here.shows(whole);
    await at.there.shows(whole);
  });

  test('[7.13] relay awareness, and its end when the client leaves', async () => {
    using at = await onBoth(await newNote('aware.md'));
    at.here.provider.setAwarenessField('user', 'here');
    const users = () => [...(at.there.provider.awareness?.getStates().values() ?? [])].map(({ user }) => user);
    await until(() => users().includes('here'), 'awareness of the other process');
    at.here.provider.detach();
    await until(() => !users().includes('here'), 'its end');
  });

  test("[9.10] signal each other's changes, and apply a revocation within a second", async () => {
    const [one, two] = servers();
    const { body: list } = await alice(one).get('/vaults');
    const made = await alice(one).post('/connections/pat', { name: 'Laptop' });
    using line = new FlakySocket(two.url);
    using signal = await line.open(`vault:${list.vaults[0].id}`, token).synced();
    const note = await newNote('signal.md');
    await until(() => signal.received.stateless.length > 0, 'a signal');
    using editor = await line.open(note, made.body.key).synced();
    await alice(one).delete(`/connections/pat/${made.body.id}`);
    // `until` waits less than the thirty seconds that this would take without the bus.
    await until(() => editor.received.closed.length > 0, 'a close');
    assert.deepEqual(editor.received.denied, ['revoked']);
    await signal.synced();
    assert.deepEqual(line.closes, []);
  });

  test('[12.4] lose nothing acknowledged when one is killed while people type, and serve them at the other', async () => {
    const [one, two] = servers();
    const notes = await Promise.all([1, 2, 3].map((n) => newNote(`killed ${n}.md`)));
    await using way = await wayTo([one, two]);
    const counted = notes.flatMap((note, n) => [0, 1].map((who) => new AcknowledgingClient(`c${n}${who}`, note)));
    await Promise.all(counted.map((person) => person.join(way.url, token)));
    using opened = new DisposableStack();
    const providers = notes.map((note) => opened.use(opened.use(new FlakySocket(way.url)).open(note, token)));
    for (const provider of providers) await provider.synced();
    let stop = false;
    const typing = counted.map(async (person) => {
      while (person.connected) {
        if (person.ahead < 5) person.type(0);
        else await person.acknowledgedOnce();
      }
    });
    const alsoTyping = providers.map(async (provider, n) => {
      for (let letter = 0; !stop; letter++) {
        provider.type(`<p${n}.${letter}>`);
        await until(() => stop || provider.provider.unsyncedChanges < 5, 'acknowledgements of a provider');
      }
    });
    await until(() => counted.every(({ acknowledged }) => acknowledged.size >= 20), 'acknowledgements');
    await one.kill();
    await Promise.all(typing);
    const kept = counted.map((person) => new Set(person.acknowledged));
    for (const [at, person] of counted.entries()) {
      const { body } = await alice(two).get(`/notes/by-id/${person.note}`);
      const lost = [...(kept[at] ?? [])].filter((word) => !body.content.includes(word));
      assert.deepEqual(lost, [], 'acknowledged by the process that died');
    }
    stop = true;
    await Promise.all(alsoTyping);
    for (const provider of providers) await provider.synced();
    await Promise.all(counted.map((person) => person.join(way.url, token)));
    await until(() => counted.every(({ ahead }) => ahead === 0), 'acknowledgements by the other');
    for (const [n, provider] of providers.entries()) {
      const { body } = await alice(two).get(`/notes/by-id/${notes[n]}`);
      await provider.shows(body.content);
      const words: string[] = (body.content as string).match(/<[^<>]*>/g) ?? [];
      assert.equal(new Set(words).size, words.length, 'nothing is there twice');
      for (const person of counted.filter(({ note }) => note === notes[n])) {
        assert.deepEqual(person.faults, []);
        assert.deepEqual(
          person.typed.filter((word) => !words.includes(word)),
          [],
        );
        person.leave();
      }
    }
  });
});

/** One address for several servers, like a load balancer: a connection goes to the first server that accepts it. */
async function wayTo(servers: readonly Served[]): Promise<{ readonly url: string } & AsyncDisposable> {
  const open = new Set<Socket>();
  const proxy = createServer(async (client) => {
    open.add(client);
    client.on('error', () => undefined).on('close', () => open.delete(client));
    for (const { url } of servers) {
      const server = connect(Number(new URL(url).port), '127.0.0.1');
      const taken = await once(server, 'connect').then(
        () => true,
        () => false,
      );
      if (!taken) continue;
      server.on('error', () => undefined).on('close', () => client.destroy());
      client.on('close', () => server.destroy());
      server.pipe(client);
      client.pipe(server);
      return;
    }
    client.destroy();
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      proxy.close();
      for (const socket of open) socket.destroy();
    },
  };
}
