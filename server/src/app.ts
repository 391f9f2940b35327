import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { UserId } from '@notevault/protocol/ids.ts';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { Background, type Job } from './background.ts';
import type { Tasks } from './concurrency/task-worker.ts';
import { WorkerPool } from './concurrency/worker-pool.ts';
import type { Config } from './config/config.ts';
import { publicUrlOf } from './config/config.ts';
import { accountsRoutes } from './domains/accounts/accounts.routes.ts';
import { type Accounts, createAccounts } from './domains/accounts/accounts.ts';
import type { AccountParts } from './domains/accounts/parts.ts';
import { attachmentsRoutes } from './domains/attachments/attachments.routes.ts';
import { type Attachments, createAttachments } from './domains/attachments/attachments.ts';
import { defaultExtensions } from './domains/attachments/extensions.ts';
import { createFiles } from './domains/attachments/files.ts';
import { connectionsRoutes } from './domains/connections/connections.routes.ts';
import { type Connections, createConnections } from './domains/connections/connections.ts';
import { deviceRoutes } from './domains/connections/device.routes.ts';
import { oauthRoutes } from './domains/connections/oauth.routes.ts';
import { foldersRoutes } from './domains/folders/folders.routes.ts';
import { createFolders, type Folders } from './domains/folders/folders.ts';
import { createIdempotency } from './domains/idempotency/idempotency.ts';
import { createKeys, type Keys } from './domains/keys/keys.ts';
import { linksRoutes } from './domains/links/links.routes.ts';
import { createLinks, type Links } from './domains/links/links.ts';
import { logsRoutes } from './domains/logs/logs.routes.ts';
import { createLogs, type Logs } from './domains/logs/logs.ts';
import { bulkRoutes } from './domains/notes/bulk.routes.ts';
import { historyRoutes } from './domains/notes/history.routes.ts';
import { notesRoutes } from './domains/notes/notes.routes.ts';
import { createNotes, type Notes } from './domains/notes/notes.ts';
import { createRates } from './domains/plans/rates.ts';
import { searchRoutes } from './domains/search/search.routes.ts';
import { Search } from './domains/search/search.ts';
import { WorkerClient } from './domains/search/worker/worker-client.ts';
import { createDoors, type Doors } from './domains/sync/doors.ts';
import { socketRoutes } from './domains/sync/sockets.routes.ts';
import { syncRoutes } from './domains/sync/sync.routes.ts';
import { createSync, type Sync } from './domains/sync/sync.ts';
import { createTree } from './domains/tree/tree.ts';
import { HotVaults } from './domains/vaults/hot.ts';
import { vaultsRoutes } from './domains/vaults/vaults.routes.ts';
import { createVaults, type Vaults } from './domains/vaults/vaults.ts';
import { DiskSpool } from './engines/spool/disk.ts';
import { type Engines, openAnalytics, openTracing } from './engines.ts';
import { buildHttp } from './http/http.ts';
import { errorPage } from './http/oauth-pages.ts';
import { pageOf } from './http/pages.ts';
import { retiredRoutes } from './http/retired.ts';
import { Sockets } from './http/sockets.ts';
import { meteredDatabase } from './metered-database.ts';
import { Metrics } from './metrics.ts';
import { createProductEvents, type ProductEvents } from './product-events.ts';
import { tracedDatabase, tracedJobs } from './traced.ts';
import { version } from './version.ts';

/** A whole service, not listening yet: the verbs for the command line, the same verbs behind HTTP. */
export interface App extends AsyncDisposable {
  readonly http: FastifyInstance;
  readonly accounts: Accounts;
  readonly vaults: Vaults;
  readonly notes: Notes;
  readonly attachments: Attachments;
  readonly links: Links;
  readonly folders: Folders;
  readonly sync: Sync;
  readonly search: Search;
  /** What is held open of vaults in memory. */
  readonly hot: HotVaults;
  readonly connections: Connections;
  readonly logs: Logs;
  readonly keys: Keys;
  readonly events: ProductEvents;
  readonly sockets: Sockets;
  /** Work derived from state (purges, erasures): started by `serve`, not by single commands. */
  readonly background: Background;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MB = 1024 * 1024;
/** Edits and documents are looked after by signals; this is the net under them. */
const EDITS_MS = 5_000;
const ANALYTICS_MS = 10_000;
const PURGE_AFTER_DAYS = 30;
/** Lists of vaults are put at rest when enough has changed. */
const LISTS_MS = 10_000;
/** How long a note waits for its vectors when nothing else is to do; notes written together are embedded together. */
const EMBED_MS = 1000;
/** One processor stays with the event loop. */
const COMPUTE_THREADS = Math.max(1, availableParallelism() - 1);
/**
 * What a thread may hold in memory. Far more than any input within its bounds takes (600 MB: a text of five million lines):
 * a thread that reaches it may take the process with it, as V8 cannot always end a thread in time.
 */
const COMPUTE_MB = 1024;

/** What no configuration may change: for tests that are about something else. */
export type AppOverrides = Pick<AccountParts, 'passwordCost'>;

/** Puts the rooms together and binds what each must cause in those on its right. Throws KeyringError for a wrong master key. */
export async function buildApp(
  engines: Pick<Engines, 'db' | 'keyring' | 'blobs' | 'bus' | 'alone' | 'clock' | 'embedder' | 'web'>,
  config: Config,
  log: FastifyBaseLogger,
  overrides: AppOverrides = {},
): Promise<App> {
  const { keyring, blobs, bus, clock } = engines;
  const metrics = config.metricsToken === null ? null : new Metrics();
  const tracing = await openTracing(config, clock, log);
  const metered = metrics === null ? engines.db : meteredDatabase(engines.db, metrics);
  const db = tracing === null ? metered : tracedDatabase(metered, tracing);
  const wrote = metrics?.counter('notevault_vault_writes_total', 'Writes that took a place in the order of a vault');
  const analytics = openAnalytics(config, log);
  const keys = createKeys(db, keyring);
  await keys.openServer();

  const tree = createTree(clock);
  const idempotency = createIdempotency({ db, keys, clock });
  const credentialsChanged = (userId: UserId) => doors.credentialsChanged(userId);
  const accounts: Accounts = createAccounts({
    ...{ db, keys, clock, plans: config.plans, defaultPlan: config.defaultPlan, registration: config.registration },
    ...overrides,
    analytics,
    hooks: {
      erasing: async (userId) => {
        await vaults.eraseAllOf(userId);
        await idempotency.eraseUser(userId);
        await logs.eraseUser(userId);
      },
      credentialsChanged,
    },
  });
  const publicUrl = publicUrlOf(config, config.port);
  const vaults: Vaults = createVaults({
    ...{ db, keys, clock, accounts, plans: config.plans, purgeAfterDays: PURGE_AFTER_DAYS },
    hooks: {
      opened: (userId) => events.vaultOpened(userId),
      changed: (vaultId, changeSeq) => {
        wrote?.();
        doors.vaultChanged(vaultId, changeSeq);
        hot.wrote(vaultId, changeSeq);
        search.recordChange();
      },
      closed: (vaultId) => {
        hot.drop(vaultId);
        // First who watches hears why; then the documents go.
        doors.vaultClosed(vaultId);
        notes.live.closeVault(vaultId);
      },
      deviceLink: (userId, code) => connections.devices.lookUp(userId, code),
      eraseSlice: async (vaultId) =>
        (await attachments.eraseSlice(vaultId)) ||
        db.transact(
          async (handle) =>
            (await sync.eraseSlice(handle, vaultId)) ||
            (await search.eraseSlice(handle, vaultId)) ||
            (await hot.eraseSlice(handle, vaultId)) ||
            (await notes.eraseSlice(handle, vaultId)) ||
            (await tree.eraseSlice(handle, vaultId)) ||
            (await idempotency.eraseSlice(handle, vaultId)),
        ),
    },
  });
  const events = createProductEvents(analytics, accounts, clock);
  const hot = new HotVaults(db, clock, vaults, config.hotVaultsMb * MB);
  const extensions = config.attachmentExtensions ?? defaultExtensions;
  const links = createLinks(db, extensions);
  const retention = { hourlyDays: config.versionsHourlyDays, dailyDays: config.versionsDailyDays };
  const files = createFiles({ tree, vaults, clock, hooks: links });
  const compute = new WorkerPool<Tasks>({ start: startComputeThread, size: COMPUTE_THREADS });
  const notes: Notes = createNotes({
    ...{ db, tree, vaults, hot, clock, retention, bus, alone: engines.alone, hooks: links, files, compute },
    openSpool: () => new DiskSpool(config.dataDir),
    report: (error, labels) => log.error({ err: error, ...labels }, 'an edit waits to be folded into its note'),
  });
  const attachments: Attachments = createAttachments({
    ...{ db, blobs, tree, vaults, notes, clock, extensions, hooks: links },
  });
  const folders = createFolders({ db, tree, vaults, notes });
  const sync = createSync({ db, clock, vaults, hot, notes, attachments, folders, tombstoneDays: config.tombstoneDays });
  const searchFailed = (failure: string) => log.error({ failure }, 'the search thread failed');
  const search = new Search({
    db,
    clock,
    vaults,
    notes,
    embedder: engines.embedder,
    worker: new WorkerClient(() => startSearchThread(config), searchFailed),
    // Leaves the other share of the time to others.
    rest: (ms, signal) => pause((ms * (100 - config.embedderShare)) / config.embedderShare, signal),
    reportError: (error) => log.error({ err: error }, 'background work of search failed'),
  });
  const connections: Connections = createConnections({
    ...{ db, keys, clock, accounts, vaults, plans: config.plans, publicUrl, hooks: { credentialsChanged } },
    oauth: {
      ...{ web: engines.web, verifiedRedirects: config.oauthVerifiedRedirects },
      errorPage: (fault) => pageOf(errorPage(fault)),
      failed: (error) => log.error({ err: error }, 'an OAuth request failed'),
    },
  });

  const logs = createLogs({ db, keys, clock });
  const rates = createRates(clock, config.plans);
  const doors: Doors = createDoors({
    ...{ clock, bus, live: notes.live, vaults },
    limits: { socketsPerUser: config.socketsPerUser, documentsPerSocket: config.documentsPerSocket },
    hooks: {
      authenticate: (token, caller) => connections.authenticateToken(token, caller),
      recall: (principal) => connections.recall(principal),
    },
  });
  const sockets = new Sockets(() => doors.tick());

  const jobs: Job[] = [
    { name: 'purge', everyMs: HOUR_MS, run: () => vaults.purgeDue(clock.now()) },
    { name: 'analytics', everyMs: ANALYTICS_MS, run: () => events.flush() },
    { name: 'answers', everyMs: HOUR_MS, run: () => idempotency.removeExpired() },
    { name: 'logs', everyMs: HOUR_MS, run: () => logs.removeExpired() },
    { name: 'versions', everyMs: HOUR_MS, run: () => notes.thinVersions() },
    { name: 'edits', everyMs: EDITS_MS, run: () => notes.live.settleOverdue() },
    { name: 'documents', everyMs: EDITS_MS, run: () => notes.live.catchUp() },
    { name: 'blobs', everyMs: 10 * MINUTE_MS, run: () => attachments.sweep() },
    { name: 'stray blobs', everyMs: 24 * HOUR_MS, run: () => attachments.sweepStrays() },
    { name: 'uses', everyMs: MINUTE_MS, run: () => connections.flushUses() },
    { name: 'oauth', everyMs: HOUR_MS, run: () => connections.oauth.sweep() },
    { name: 'devices', everyMs: HOUR_MS, run: () => connections.devices.sweep() },
    { name: 'tombstones', everyMs: HOUR_MS, run: () => sync.dropExpired() },
    { name: 'lists', everyMs: LISTS_MS, run: () => sync.keepLists() },
    { name: 'search', everyMs: HOUR_MS, run: () => search.warmUp() },
    { name: 'indexes', everyMs: EMBED_MS, run: (signal) => search.indexInBackground(signal) },
    { name: 'vectors', everyMs: EMBED_MS, run: (signal) => search.embed(signal) },
    { name: 'erase', everyMs: HOUR_MS, run: () => accounts.resumeErasures() },
  ];
  const background = new Background(log, clock, tracing === null ? jobs : tracedJobs(jobs, tracing));
  if (metrics !== null) {
    const { live } = notes;
    metrics.gauge('notevault_sockets', 'Sockets that somebody has signed in on', () => doors.figures().sockets);
    metrics.gauge('notevault_live_documents', 'Documents in memory', () => live.figures().documents);
    metrics.gauge('notevault_live_document_bytes', 'Memory that live documents take', () => live.figures().bytes);
    metrics.gauge('notevault_edits_waiting', 'Edits on their way to the update log', () => live.figures().edits);
    metrics.gauge('notevault_edit_bytes_waiting', 'Their bytes, sealed', () => live.figures().editBytes);
    metrics.gauge(
      'notevault_notes_to_settle',
      'Notes whose edits wait to be folded in',
      () => live.figures().unsettled,
    );
    metrics.gauge('notevault_hot_vault_bytes', 'Memory that the trees of vaults in use take', () => hot.bytes);
    metrics.gauge('notevault_search_index_bytes', 'Memory that search indexes take', () => search.stats.indexBytes);
    metrics.gauge('notevault_search_pending_requests', 'Requests that the search thread has not answered', () => {
      return search.stats.pendingRequests;
    });
    metrics.gauge('notevault_embedding_notes', 'Notes that are being embedded', () => search.stats.embeddingNotes);
  }
  const http = await buildHttp({
    ...{ log, version, publicUrl, corsOrigins: config.corsOrigins },
    ...(metrics === null || config.metricsToken === null
      ? {}
      : { metrics: { metrics, token: config.metricsToken.reveal() } }),
    ...(tracing === null ? {} : { tracing }),
    ...{ trustProxy: config.trustProxy, authRateLimit: config.authRateLimit },
    routes: [
      ...retiredRoutes(),
      ...accountsRoutes(accounts),
      ...vaultsRoutes(vaults),
      ...notesRoutes(notes),
      ...bulkRoutes(notes),
      ...historyRoutes(notes),
      ...attachmentsRoutes(attachments),
      ...linksRoutes(links),
      ...foldersRoutes(folders, notes),
      ...syncRoutes(sync),
      ...searchRoutes(search),
      ...connectionsRoutes(connections),
      ...deviceRoutes(connections.devices),
      ...logsRoutes(logs),
      ...oauthRoutes(connections.oauth),
    ],
    ...{ sockets, socketRoutes: socketRoutes(doors) },
    gate: {
      authenticate: (authorization, client) => connections.authenticate(authorization, client),
      meter: ({ userId, tier }, use) => rates.take(userId, tier, use),
      async openVault(principal, header, need) {
        const vault = await vaults.openVault(principal, header, need);
        // What people typed over sockets is part of the vault from the moment it was acknowledged.
        await notes.live.settle(vault);
        return vault;
      },
    },
    idempotency,
    connections,
    ready: () => keys.probe(),
  });
  return {
    ...{ http, accounts, vaults, notes, attachments, links, folders, search, sync, hot, connections, logs, keys },
    ...{ events, sockets, background },
    async [Symbol.asyncDispose]() {
      await http.close();
      doors[Symbol.dispose]();
      metrics?.[Symbol.dispose]();
      await background[Symbol.asyncDispose]();
      await search[Symbol.asyncDispose]();
      await notes[Symbol.asyncDispose]();
      await compute[Symbol.asyncDispose]();
      // Nothing depends on these: a database that is away must not keep the process from ending.
      await connections.flushUses().catch(() => undefined);
      await events.flush().catch(() => undefined);
      await tracing?.[Symbol.asyncDispose]();
    },
  };
}

/** Resolves after that long, or as soon as the signal is aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms >= 1) await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

function startComputeThread(): Worker {
  const script = import.meta.url.endsWith('.ts') ? './compute-thread.ts' : './compute-thread.js';
  return new Worker(new URL(script, import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: COMPUTE_MB } });
}

function startSearchThread({ searchMemoryMb }: Config): Worker {
  const script = import.meta.url.endsWith('.ts') ? './search-thread.ts' : './search-thread.js';
  const maxBytes = searchMemoryMb * 1024 * 1024;
  return new Worker(new URL(script, import.meta.url), {
    workerData: { maxBytes },
    // A thread that outgrows this ends alone, and is started again.
    resourceLimits: { maxOldGenerationSizeMb: 2 * searchMemoryMb + 512 },
  });
}
