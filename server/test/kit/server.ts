import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, buildApp } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import type { Database } from '../../src/engines/database/database.ts';
import { MASTER_KEY_BYTES, MasterKeyring } from '../../src/engines/keyring/master-key.ts';
import { migrations } from '../../src/migrations.ts';
import { createLogger } from '../../src/telemetry.ts';
import { type TestClock, testClock } from './clock.ts';
import { Caller, Person } from './person.ts';

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly app: App;
  readonly db: Database;
  readonly clock: TestClock;
  readonly masterKey: Buffer;
  /** The first to register, and so the admin. */
  readonly alice: Person;
  /** Registers after alice. */
  readonly bob: Person;
  /** Nobody in particular: no credential. */
  readonly anyone: Caller;
  /** A caller with another credential than the one somebody registered with. */
  bearer(token: string): Caller;
}

export interface TestServerOptions {
  /** Gives the database, as `onEachEngine` does; closed by whoever opened it. */
  readonly open: () => Promise<Database>;
  readonly clock?: TestClock;
  /** For a second server over the database of the first, as two processes have it. Default: a new one. */
  readonly masterKey?: Buffer;
  /** Over the defaults of tests: everybody may register, as often as they like. */
  readonly config?: Partial<Config>;
}

/** A whole server on a free port, with its own key and folder. Nothing runs in the background. */
export async function startServer(options: TestServerOptions): Promise<TestServer> {
  const { open, clock = testClock(), masterKey = clock.random(MASTER_KEY_BYTES), config } = options;
  await using opened = new AsyncDisposableStack();
  const db = await open();
  const dataDir = await mkdtemp(join(tmpdir(), 'notevault-test-'));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  await db.migrate(migrations);
  const keyring = new MasterKeyring(masterKey, clock.random);
  const settings = { ...readConfig({}), registration: 'open' as const, authRateLimit: 0, dataDir, ...config };
  const app = opened.use(await buildApp({ db, keyring, clock }, settings, createLogger('silent')));
  await app.http.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;

  const alice = new Person(url, 'alice', async () => undefined);
  const bob = new Person(url, 'bob', () => alice.signed());
  const closing = opened.move();
  return {
    ...{ url, app, db, clock, masterKey, alice, bob, anyone: new Caller(url) },
    bearer: (token) => new Caller(url, async () => ({ authorization: `Bearer ${token}` })),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
