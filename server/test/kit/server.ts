import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { type App, type AppOverrides, buildApp } from '../../src/app.ts';
import { type Config, publicUrlOf, readConfig } from '../../src/config/config.ts';
import { migrations } from '../../src/data/migrations.ts';
import type { TrashLimits } from '../../src/domains/content/entries/entries.ts';
import type { ArchiveLimits } from '../../src/domains/exchanging/imports/archive/archive.ts';
import type { WebApp } from '../../src/http/web/web-app.ts';
import type { Blobs } from '../../src/ports/blobs/blobs.ts';
import { databaseBlobs } from '../../src/ports/blobs/database.ts';
import { openDiskBlobs } from '../../src/ports/blobs/disk.ts';
import type { Bus } from '../../src/ports/bus/bus.ts';
import { MemoryHub } from '../../src/ports/bus/memory.ts';
import type { Database } from '../../src/ports/database/database.ts';
import { builtinEmbedder } from '../../src/ports/embedder/builtin.ts';
import type { Embedder } from '../../src/ports/embedder/embedder.ts';
import { MASTER_KEY_BYTES, MasterKeyring } from '../../src/ports/keyring/master-key.ts';
import type { Mailer } from '../../src/ports/mail/mail.ts';
import { noMailer } from '../../src/ports/mail/none.ts';
import { createSafeFetch } from '../../src/ports/safe-fetch/public-fetch.ts';
import type { SafeFetch } from '../../src/ports/safe-fetch/safe-fetch.ts';
import { createLogger } from '../../src/telemetry/telemetry.ts';
import { type TestClock, testClock } from './clock.ts';
import { closerOf } from './engines.ts';
import { CHEAP_PASSWORDS } from './fixtures.ts';
import { Caller, Person } from './person.ts';
import { scratchFolder } from './scratch.ts';

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  /** The server's public address, from which links are made; unless configured, not the one it listens on. */
  readonly publicUrl: string;
  readonly app: App;
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: TestClock;
  readonly masterKey: Buffer;
  /** The first account, and therefore the admin. */
  readonly alice: Person;
  /** Registers after alice. */
  readonly bob: Person;
  /** Somebody else, who registers after alice. */
  person(name: string): Person;
  /** A caller without a credential. */
  readonly anyone: Caller;
  /** A caller with the given credential. */
  bearer(token: string): Caller;
}

export interface TestServerOptions {
  /** Returns the database: `open` of a suite, whose database is closed with the server; else the caller closes it. */
  readonly open: () => Promise<Database>;
  readonly clock?: TestClock;
  /**
   * The key of the first server, for a second one over its database, as two processes have it. A new key by default.
   */
  readonly masterKey?: Buffer;
  /** The blob adapter, or the blobs of the first server for a second one beside it. Disk by default. */
  readonly blobs?: 'disk' | 'database' | Blobs;
  /** How the server is notified by others over its database. Not at all by default. */
  readonly bus?: Bus;
  /** Fetches documents from other hosts. The internet by default. */
  readonly web?: SafeFetch;
  /** Takes mails. No mails are sent by default. */
  readonly mailer?: Mailer;
  /** Makes vectors; closed by its creator. By default the builtin embedder, without a thread. */
  readonly embedder?: Embedder;
  /** How much the trash of a vault keeps. */
  readonly trashLimits?: TrashLimits;
  /** The processor time in ms after which a costly edit is refused. */
  readonly trialMs?: number;
  /** Limits on archives that are imported. */
  readonly archiveLimits?: ArchiveLimits;
  /** How much of a move is prepared in memory. */
  readonly spoolBytes?: number;
  /** The web app that is served. None by default. */
  readonly webApp?: WebApp;
  /** The folder of the program that is handed out. None by default. */
  readonly program?: string;
  /** Serves something else than the tools at the endpoint for assistants. */
  readonly createMcpServer?: NonNullable<AppOverrides['createMcpServer']>;
  /** Gets each line of the log. Nothing is logged by default. */
  readonly log?: (line: string) => void;
  /** Extends the defaults of tests: open registration without rate limit. */
  readonly config?: Partial<Config>;
}

/** Starts a whole server on a free port, with its own key and folder. No background jobs run. */
export async function startServer(options: TestServerOptions): Promise<TestServer> {
  const {
    open,
    clock = testClock(),
    masterKey = clock.random(MASTER_KEY_BYTES),
    blobs: keptOn = 'disk',
    bus = new MemoryHub().join(),
    web: fetcher = createSafeFetch(),
    mailer = noMailer(),
    embedder = builtinEmbedder(),
    config,
    log,
    ...overrides
  } = options;
  await using opened = new AsyncDisposableStack();
  const db = await open();
  // Left open until the end of the suite, it would poll, start threads and take memory beside the other tests.
  opened.defer(async () => closerOf(open)?.(db));
  const dataDir = scratchFolder('test');
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  await db.migrate(migrations);
  const keyring = new MasterKeyring(masterKey, clock.random);
  const blobs = typeof keptOn === 'object' ? keptOn : opened.use(await blobsFor(keptOn, { db, dataDir, clock }));
  const settings = {
    ...readConfig({}),
    embedderShare: 100,
    registration: 'open' as const,
    authRateLimit: 0,
    dataDir,
    ...config,
  };
  const logger = log === undefined ? createLogger('silent') : createLogger('info', { write: log });
  const app = opened.use(
    await buildApp({ db, keyring, blobs, bus, clock, fetcher, embedder, mailer }, settings, logger, {
      passwordCost: CHEAP_PASSWORDS,
      webApp: null,
      ...overrides,
    }),
  );
  const http = await app.http();
  await http.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;

  const closing = opened.move();
  return {
    url,
    publicUrl: publicUrlOf(settings, settings.port),
    app,
    db,
    blobs,
    clock,
    masterKey,
    ...peopleOf(url, app),
    anyone: new Caller(url),
    bearer: (token) => new Caller(url, async () => ({ authorization: `Bearer ${token}` })),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/**
 * Like startServer, once for all tests of a `describe` (inside which it must be called): each call gives new people, of
 * whom only the first is an admin. For tests that look at nothing but what these people have, and turn no clock back.
 */
export function oneServer(options: () => TestServerOptions | Promise<TestServerOptions>): () => Promise<TestServer> {
  let started: Promise<TestServer> | undefined;
  let calls = 0;
  after(async () => (await started)?.[Symbol.asyncDispose]());
  return async () => {
    started ??= Promise.resolve(options()).then(startServer);
    const server = await started;
    calls += 1;
    const people = peopleOf(server.url, server.app, calls === 1 ? '' : `-${calls}`);
    return { ...server, ...people, [Symbol.asyncDispose]: async () => undefined };
  };
}

function peopleOf(url: string, app: App, number = ''): Pick<TestServer, 'alice' | 'bob' | 'person'> {
  const setupToken = () => app.accounts.setupToken();
  const alice = new Person(url, `alice${number}`, async () => undefined, setupToken);
  const person = (name: string) => new Person(url, `${name}${number}`, () => alice.signed());
  return { alice, bob: person('bob'), person };
}

async function blobsFor(
  keptOn: 'disk' | 'database',
  { db, dataDir, clock }: { db: Database; dataDir: string; clock: TestClock },
): Promise<Blobs> {
  if (keptOn === 'database') return databaseBlobs(db, clock);
  return openDiskBlobs({ folder: join(dataDir, 'blobs'), clock, singleProcess: false });
}
