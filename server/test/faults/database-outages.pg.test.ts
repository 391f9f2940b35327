/**
 * Tests what clients see while PostgreSQL cannot be reached, and afterwards: nothing acknowledged is lost, requests are
 * refused with 503 until it is back, no process needs a restart, and the log stays short.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AcknowledgingClient } from '../kit/clients/acknowledging-client.ts';
import { TcpLine } from '../kit/clients/tcp-line.ts';
import { freshPostgres, whyNoPostgres } from '../kit/database/postgres.ts';
import { startCluster } from '../kit/database/postgres-cluster.ts';
import { type Answer, Caller } from '../kit/person.ts';
import { Folder, type ServeProcess, startServe } from '../kit/programs/process.ts';
import { registerAt } from '../kit/setup-tokens.ts';
import { until } from '../kit/until.ts';

const skip = whyNoPostgres() ?? false;
/** Far fewer lines than requests are refused in an outage. */
const LOG_LINES_MAX = 30;
const WRITERS = 8;
/** Writes or refusals after which a phase of a test is over. */
const ENOUGH = 40;

type Served = ServeProcess & { readonly url: string };

/** Upserts notes without pause, and remembers what was acknowledged and what refused. */
class Writers {
  readonly acknowledged: string[] = [];
  readonly refused: Answer[] = [];
  /** Requests without an answer: the connection to the server itself broke. */
  unanswered = 0;
  readonly #caller: Caller;
  readonly #ended: Promise<unknown>;
  #stop = false;

  constructor(caller: Caller, name: string) {
    this.#caller = caller;
    this.#ended = Promise.all(Array.from({ length: WRITERS }, (_, writer) => this.#write(`${name} ${writer}`)));
  }

  async stop(): Promise<void> {
    this.#stop = true;
    await this.#ended;
  }

  async #write(name: string): Promise<void> {
    for (let count = 0; !this.#stop; count++) {
      const path = `${name}/${count}.md`;
      const body = { path, content: `[[${count}]]`, mtime: 1 };
      const answer = await this.#caller.post('/notes', body).catch(() => null);
      if (answer === null) this.unanswered += 1;
      else if (answer.status === 200) this.acknowledged.push(path);
      else this.refused.push(answer);
      // A client waits before it tries again.
      if (answer?.status !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

interface Setting extends AsyncDisposable {
  readonly server: Served;
  readonly alice: Caller;
  readonly token: string;
  /** Lines that the server has logged. */
  readonly log: string[];
}

async function serverOn(url: string, folder: Folder): Promise<Setting> {
  const env = { NOTEVAULT_DATA_DIR: folder.path, NOTEVAULT_DATABASE_URL: url, NOTEVAULT_LOG_LEVEL: 'warn' };
  const server = await startServe({ env });
  const log: string[] = [];
  for (const stream of [server.child.stdout, server.child.stderr]) {
    stream?.on('data', (chunk: Buffer) => log.push(...chunk.toString().split('\n').filter(Boolean)));
  }
  const account = { email: 'alice@example.org', password: 'a long enough password' };
  const token: string = (await registerAt(server.url, account)).body.access_token;
  const alice = new Caller(server.url, async () => ({ authorization: `Bearer ${token}` }));
  await alice.post('/vaults', { name: 'Notes' });
  return { server, alice, token, log, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

function assertRefusals(refused: readonly Answer[]): void {
  for (const { status, headers, body } of refused) {
    assert.equal(status, 503, JSON.stringify(body));
    assert.ok(Number(headers.get('retry-after')) > 0, 'says when to try again');
  }
}

async function assertStored(alice: Caller, paths: readonly string[]): Promise<void> {
  const { body } = await alice.get('/sync/manifest');
  const stored = new Set(body.notes.map(({ path }: { path: string }) => path));
  assert.deepEqual(
    paths.filter((path) => !stored.has(path)),
    [],
    'acknowledged and lost',
  );
}

/** Writes and types through an outage, which begins and ends as given. */
async function survive(
  { server, alice, token, log }: Setting,
  outage: { begin(): Promise<void> | void; end(): Promise<void> | void },
): Promise<void> {
  const { note } = (await alice.post('/notes', { path: 'typed.md', content: '', mtime: 1 })).body;
  const person = new AcknowledgingClient('p', note.id);
  await person.join(server.url, token);
  const writers = new Writers(alice, 'before');
  await until(() => writers.acknowledged.length >= ENOUGH, 'writes before the outage');
  person.type(0);
  await until(() => person.ahead === 0, 'an acknowledged word');
  const begun = log.length;
  await outage.begin();
  person.type(0);
  await until(() => writers.refused.length >= ENOUGH, 'refusals');
  await outage.end();
  const until200 = writers.acknowledged.length + ENOUGH;
  await until(() => writers.acknowledged.length >= until200, 'writes after the outage');
  await writers.stop();
  assert.equal(writers.unanswered, 0, 'every request is answered');
  assertRefusals(writers.refused);
  await assertStored(alice, writers.acknowledged);
  if (!person.connected) await person.join(server.url, token);
  await until(() => person.ahead === 0, 'the word typed in the outage');
  const { body } = await alice.get('/notes/typed.md');
  assert.deepEqual(
    person.typed.filter((word) => !body.content.includes(word)),
    [],
  );
  person.leave();
  assert.equal(server.child.exitCode, null);
  assert.ok(log.length - begun <= LOG_LINES_MAX, `${log.length - begun} lines:\n${log.slice(begun).join('\n')}`);
}

describe('[12.4] a server whose PostgreSQL goes away', { skip }, () => {
  test('refuses with 503 while a proxy cuts all connections, and then continues', async () => {
    await using database = await freshPostgres();
    await using line = new TcpLine(database.url);
    using folder = new Folder();
    await using setting = await serverOn(await line.open(), folder);
    await survive(setting, {
      begin() {
        line.down = true;
        line.cut();
      },
      end() {
        line.down = false;
      },
    });
  });

  test('loses nothing when PostgreSQL crashes and starts again', async () => {
    using cluster = await startCluster({ durable: true });
    using folder = new Folder();
    await using setting = await serverOn(cluster.url, folder);
    await survive(setting, { begin: () => cluster.crash(), end: () => cluster.restart() });
  });

  test('loses nothing when another server of the same data takes over the address', async () => {
    using cluster = await startCluster({ durable: true });
    await using line = new TcpLine(cluster.url);
    using folder = new Folder();
    await using setting = await serverOn(await line.open(), folder);
    await survive(setting, {
      async begin() {
        line.down = true;
        line.cut();
        await cluster.crash();
      },
      async end() {
        line.leadTo(await cluster.takeOver());
        line.down = false;
      },
    });
  });

  test('is replaced by another that writes to the same vault, when it is killed amid its transactions', async () => {
    await using database = await freshPostgres();
    using folder = new Folder();
    await using first = await serverOn(database.url, folder);
    await using second = await startServe({
      env: { NOTEVAULT_DATA_DIR: folder.path, NOTEVAULT_DATABASE_URL: database.url },
    });
    const there = new Caller(second.url, async () => ({ authorization: `Bearer ${first.token}` }));
    const [here, beside] = [new Writers(first.alice, 'first'), new Writers(there, 'second')];
    const both = [here, beside];
    await until(() => both.every(({ acknowledged }) => acknowledged.length >= ENOUGH), 'writes of both');
    await first.server.kill();
    const more = beside.acknowledged.length + ENOUGH;
    await until(() => beside.acknowledged.length >= more, 'writes of the other');
    await Promise.all(both.map((writers) => writers.stop()));
    assert.deepEqual(beside.refused, []);
    await assertStored(
      there,
      both.flatMap(({ acknowledged }) => acknowledged),
    );
  });

  test('leaves the words that it acknowledged to another, when it is killed amid typing', async () => {
    await using database = await freshPostgres();
    using folder = new Folder();
    await using first = await serverOn(database.url, folder);
    await using second = await startServe({
      env: { NOTEVAULT_DATA_DIR: folder.path, NOTEVAULT_DATABASE_URL: database.url },
    });
    const there = new Caller(second.url, async () => ({ authorization: `Bearer ${first.token}` }));
    const { note } = (await first.alice.post('/notes', { path: 'typed.md', content: '', mtime: 1 })).body;
    const person = new AcknowledgingClient('p', note.id);
    await person.join(first.server.url, first.token);
    for (let word = 0; word < ENOUGH; word++) {
      person.type(word);
      await person.acknowledgedOnce();
    }
    // The last words are in the log only; the document of the process that dies is not needed to read them.
    await first.server.kill();
    const { status, body } = await there.get('/notes/typed.md');
    assert.equal(status, 200);
    assert.equal(person.acknowledged.size > 0, true);
    for (const word of person.acknowledged) assert.equal(body.content.split(word).length, 2, `${word} once`);
    person.type(0);
    await person.join(second.url, first.token);
    await until(() => person.ahead === 0, 'the words that the killed process did not acknowledge');
    const { content } = (await there.get('/notes/typed.md')).body;
    for (const word of person.typed) assert.equal(content.split(word).length, 2, `${word} once`);
    person.leave();
  });
});
