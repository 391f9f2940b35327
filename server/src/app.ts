import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { UserId } from '@notevault/protocol/ids.ts';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Tasks } from './concurrency/task-worker.ts';
import { WorkerPool } from './concurrency/worker-pool.ts';
import type { Config } from './config/config.ts';
import { publicUrlOf } from './config/config.ts';
import type { AccountDeps } from './domains/accounts/accounts.deps.ts';
import { accountsRoutes } from './domains/accounts/accounts.routes.ts';
import { type Accounts, createAccounts } from './domains/accounts/accounts.ts';
import { apiKeysRoutes } from './domains/api-keys/api-keys.routes.ts';
import { ApiKeys } from './domains/api-keys/api-keys.ts';
import { attachmentsRoutes } from './domains/attachments/attachments.routes.ts';
import { type Attachments, createAttachments } from './domains/attachments/attachments.ts';
import { defaultExtensions } from './domains/attachments/extensions.ts';
import { createFolderOps } from './domains/attachments/folder-ops.ts';
import { connectionsRoutes } from './domains/connections/connections.routes.ts';
import { Connections } from './domains/connections/connections.ts';
import { Credentials } from './domains/credentials/credentials.ts';
import { devicesRoutes } from './domains/devices/devices.routes.ts';
import { Devices } from './domains/devices/devices.ts';
import { linkPageRoutes } from './domains/devices/link-page.routes.ts';
import { foldersRoutes } from './domains/folders/folders.routes.ts';
import { createFolders, type Folders } from './domains/folders/folders.ts';
import { createIdempotency } from './domains/idempotency/idempotency.ts';
import { createKeys, type Keys } from './domains/keys/keys.ts';
import { linksRoutes } from './domains/links/links.routes.ts';
import { createLinks, type Links } from './domains/links/links.ts';
import { logsRoutes } from './domains/logs/logs.routes.ts';
import { createLogs, type Logs } from './domains/logs/logs.ts';
import { createNamespace } from './domains/namespace/namespace.ts';
import { batchRoutes } from './domains/notes/batch.routes.ts';
import { historyRoutes } from './domains/notes/history.routes.ts';
import { notesRoutes } from './domains/notes/notes.routes.ts';
import { createNotes, type Notes } from './domains/notes/notes.ts';
import { consentRoutes } from './domains/oauth/consent.routes.ts';
import { oauthRoutes } from './domains/oauth/oauth.routes.ts';
import { OAuth } from './domains/oauth/oauth.ts';
import { providerRoutes } from './domains/oauth/provider.routes.ts';
import { createRateLimits } from './domains/plans/rate-limits.ts';
import { searchRoutes } from './domains/search/search.routes.ts';
import { Search } from './domains/search/search.ts';
import { WorkerClient } from './domains/search/worker/worker-client.ts';
import { type Collaboration, createCollaboration } from './domains/sync/collaboration.ts';
import { socketRoutes } from './domains/sync/sockets.routes.ts';
import { syncRoutes } from './domains/sync/sync.routes.ts';
import { createSync, type Sync } from './domains/sync/sync.ts';
import { VaultCache } from './domains/vaults/vault-cache.ts';
import { vaultsRoutes } from './domains/vaults/vaults.routes.ts';
import { createVaults, type Vaults } from './domains/vaults/vaults.ts';
import { Events } from './events.ts';
import { goneRoutes } from './http/gone-routes.ts';
import { buildHttp } from './http/http.ts';
import { errorPage, pageOf } from './http/pages.ts';
import { Sockets } from './http/sockets.ts';
import { type Job, JobRunner } from './jobs.ts';
import { meteredDatabase } from './metered-database.ts';
import { Metrics } from './metrics.ts';
import { DiskSpool } from './ports/spool/disk.ts';
import { openAnalytics, openTracing, type Ports } from './ports.ts';
import { createProductEvents, type ProductEvents } from './product-events.ts';
import { tracedDatabase, tracedJobs } from './traced-database.ts';
import { version } from './version.ts';

/** A whole service, not listening yet: the operations for the command line, the same operations behind HTTP. */
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
  /** What is cached of vaults in memory. */
  readonly cache: VaultCache;
  readonly credentials: Credentials;
  readonly devices: Devices;
  readonly oauth: OAuth;
  readonly logs: Logs;
  readonly keys: Keys;
  readonly productEvents: ProductEvents;
  readonly sockets: Sockets;
  /** Work derived from state (purges, erasures): started by `serve`, not by single commands. */
  readonly jobRunner: JobRunner;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MB = 1024 * 1024;
/** Edits and documents are looked after by signals; this is the net under them. */
const FLUSH_MS = 5_000;
const ANALYTICS_MS = 10_000;
const PURGE_AFTER_DAYS = 30;
/** Lists of vaults are persisted when enough has changed. */
const PERSIST_MS = 10_000;
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
export type AppOverrides = Pick<AccountDeps, 'passwordCost'>;

/** Builds the domains and binds the hooks of each to later ones. Throws KeyringError for a wrong master key. */
export async function buildApp(
  ports: Pick<Ports, 'db' | 'keyring' | 'blobs' | 'bus' | 'singleProcess' | 'clock' | 'embedder' | 'fetcher'>,
  config: Config,
  log: FastifyBaseLogger,
  overrides: AppOverrides = {},
): Promise<App> {
  const { keyring, blobs, bus, clock } = ports;
  const metrics = config.metricsToken === null ? null : new Metrics();
  const tracing = await openTracing(config, clock, log);
  const metered = metrics === null ? ports.db : meteredDatabase(ports.db, metrics);
  const db = tracing === null ? metered : tracedDatabase(metered, tracing);
  const countWrite = metrics?.counter('notevault_vault_writes_total', 'Writes that advanced a vault’s change sequence');
  const analytics = openAnalytics(config, log);
  const keys = createKeys(db, keyring);
  await keys.openServer();

  const namespace = createNamespace(clock);
  const idempotency = createIdempotency({ db, keys, clock });
  const events = new Events((error, event) => log.error({ err: error, event }, 'a listener of an event failed'));
  const accounts: Accounts = createAccounts({
    ...{ db, keys, clock, plans: config.plans, defaultPlan: config.defaultPlan, registration: config.registration },
    ...overrides,
    analytics,
    hooks: {
      erasing: async (userId) => {
        await vaults.purgeAllOf(userId);
        await idempotency.purgeUser(userId);
        await logs.purgeUser(userId);
      },
    },
    events,
  });
  const publicUrl = publicUrlOf(config, config.port);
  const vaults: Vaults = createVaults({
    ...{ db, keys, clock, accounts, plans: config.plans, purgeAfterDays: PURGE_AFTER_DAYS },
    hooks: {
      deviceLink: (userId, code) => devices.authorization.lookUp(userId, code),
      purgeSlice: async (vaultId) =>
        (await attachments.purgeSlice(vaultId)) ||
        db.transact(
          async (handle) =>
            (await sync.purgeSlice(handle, vaultId)) ||
            (await search.purgeSlice(handle, vaultId)) ||
            (await cache.purgeSlice(handle, vaultId)) ||
            (await notes.purgeSlice(handle, vaultId)) ||
            (await namespace.purgeSlice(handle, vaultId)) ||
            (await idempotency.purgeSlice(handle, vaultId)),
        ),
    },
    events,
  });
  const productEvents = createProductEvents(analytics, accounts, clock);
  const cache = new VaultCache(db, clock, vaults, config.hotVaultsMb * MB);
  const extensions = config.attachmentExtensions ?? defaultExtensions;
  const links = createLinks(db, extensions);
  const retention = { hourlyDays: config.versionsHourlyDays, dailyDays: config.versionsDailyDays };
  const files = createFolderOps({ namespace, vaults, clock, hooks: links });
  const compute = new WorkerPool<Tasks>({ start: startComputeThread, size: COMPUTE_THREADS });
  const notes: Notes = createNotes({
    ...{
      db,
      namespace,
      vaults,
      cache,
      clock,
      retention,
      bus,
      singleProcess: ports.singleProcess,
      hooks: links,
      files,
      compute,
    },
    openSpool: () => new DiskSpool(config.dataDir),
    report: (error, labels) => log.error({ err: error, ...labels }, 'an edit waits to be folded into its note'),
  });
  const attachments: Attachments = createAttachments({
    ...{ db, blobs, namespace, vaults, notes, clock, extensions, hooks: links },
  });
  const folders = createFolders({ db, namespace, vaults, notes });
  const sync = createSync({
    db,
    clock,
    vaults,
    cache,
    notes,
    attachments,
    folders,
    tombstoneDays: config.tombstoneDays,
  });
  const searchFailed = (failure: string) => log.error({ failure }, 'the search thread failed');
  const search = new Search({
    db,
    clock,
    vaults,
    notes,
    embedder: ports.embedder,
    worker: new WorkerClient(() => startSearchThread(config), searchFailed),
    // Leaves the other share of the time to others.
    rest: (ms, signal) => pause((ms * (100 - config.embedderShare)) / config.embedderShare, signal),
    reportError: (error) => log.error({ err: error }, 'background work of search failed'),
  });
  const credentials: Credentials = new Credentials({
    db,
    keys,
    clock,
    accounts,
    events,
    hooks: {
      findDeviceToken: (token) => devices.tokens.find(token),
      findOAuthToken: (token) => oauth.find(token),
    },
  });
  const apiKeys = new ApiKeys({ db, keys, clock, accounts, credentials, plans: config.plans });
  const devices: Devices = new Devices({ db, keys, clock, accounts, vaults, credentials, publicUrl });
  const oauth: OAuth = new OAuth({
    db,
    keys,
    clock,
    accounts,
    vaults,
    credentials,
    publicUrl,
    web: ports.fetcher,
    verifiedRedirects: config.oauthVerifiedRedirects,
    errorPage: (fault) => pageOf(errorPage(fault)),
    failed: (error) => log.error({ err: error }, 'an OAuth request failed'),
  });
  const describe = [(userId: UserId) => devices.tokens.describe(userId), (userId: UserId) => oauth.describe(userId)];
  const connections = new Connections({ credentials, vaults, describe });

  const logs = createLogs({ db, keys, clock });
  const rateLimits = createRateLimits(clock, config.plans);
  const collaboration: Collaboration = createCollaboration({
    ...{ clock, bus, live: notes.live, vaults },
    limits: { socketsPerUser: config.socketsPerUser, documentsPerSocket: config.documentsPerSocket },
    hooks: {
      authenticate: (token, caller) => credentials.authenticateToken(token, caller),
      recall: (principal) => credentials.recall(principal),
    },
  });
  if (countWrite !== undefined) events.on('vaultChanged', () => countWrite());
  events.on('vaultChanged', ({ vaultId, changeSeq }) => collaboration.vaultChanged(vaultId, changeSeq));
  events.on('vaultChanged', ({ vaultId, changeSeq }) => cache.noteWrite(vaultId, changeSeq));
  events.on('vaultChanged', () => search.recordChange());
  events.on('vaultClosed', ({ vaultId }) => cache.evict(vaultId));
  // First who watches hears why; then the documents go.
  events.on('vaultClosed', ({ vaultId }) => collaboration.vaultClosed(vaultId));
  events.on('vaultClosed', ({ vaultId }) => notes.live.closeVault(vaultId));
  events.on('vaultOpened', ({ userId }) => productEvents.vaultOpened(userId));
  events.on('credentialsChanged', ({ userId }) => collaboration.credentialsChanged(userId));
  const sockets = new Sockets(() => collaboration.tick());

  const jobs: Job[] = [
    { name: 'purge', everyMs: HOUR_MS, run: () => vaults.purgeDue(clock.now()) },
    { name: 'analytics', everyMs: ANALYTICS_MS, run: () => productEvents.flush() },
    { name: 'answers', everyMs: HOUR_MS, run: () => idempotency.removeExpired() },
    { name: 'logs', everyMs: HOUR_MS, run: () => logs.removeExpired() },
    { name: 'versions', everyMs: HOUR_MS, run: () => notes.thinVersions() },
    { name: 'edits', everyMs: FLUSH_MS, run: () => notes.live.flushOverdue() },
    { name: 'documents', everyMs: FLUSH_MS, run: () => notes.live.catchUp() },
    { name: 'blobs', everyMs: 10 * MINUTE_MS, run: () => attachments.collect() },
    { name: 'stray blobs', everyMs: 24 * HOUR_MS, run: () => attachments.collectOrphans() },
    { name: 'uses', everyMs: MINUTE_MS, run: () => credentials.flushLastUsed() },
    { name: 'oauth', everyMs: HOUR_MS, run: () => oauth.sweep() },
    { name: 'devices', everyMs: HOUR_MS, run: () => devices.sweep() },
    { name: 'tombstones', everyMs: HOUR_MS, run: () => sync.dropExpired() },
    { name: 'lists', everyMs: PERSIST_MS, run: () => sync.persistCache() },
    { name: 'search', everyMs: HOUR_MS, run: () => search.warmUp() },
    { name: 'indexes', everyMs: EMBED_MS, run: (signal) => search.indexInBackground(signal) },
    { name: 'vectors', everyMs: EMBED_MS, run: (signal) => search.embed(signal) },
    { name: 'erase', everyMs: HOUR_MS, run: () => accounts.resumeDeletions() },
  ];
  const jobRunner = new JobRunner(log, clock, tracing === null ? jobs : tracedJobs(jobs, tracing));
  if (metrics !== null) {
    const { live } = notes;
    metrics.gauge('notevault_sockets', 'Authenticated sockets', () => collaboration.stats().sockets);
    metrics.gauge('notevault_live_documents', 'Live documents in memory', () => live.stats().documents);
    metrics.gauge('notevault_live_document_bytes', 'Estimated memory of live documents', () => live.stats().bytes);
    metrics.gauge('notevault_edits_pending', 'Edits not yet in the update log', () => live.stats().edits);
    metrics.gauge(
      'notevault_edit_bytes_pending',
      'Sealed bytes of edits not yet in the update log',
      () => live.stats().editBytes,
    );
    metrics.gauge(
      'notevault_notes_to_flush',
      'Notes with edits that are not flushed into their row yet',
      () => live.stats().unflushed,
    );
    metrics.gauge('notevault_vault_cache_bytes', 'Estimated memory of the vault cache', () => cache.bytes);
    metrics.gauge('notevault_search_index_bytes', 'Estimated memory of search indexes', () => search.stats.indexBytes);
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
      ...goneRoutes(),
      ...accountsRoutes(accounts),
      ...vaultsRoutes(vaults),
      ...notesRoutes(notes),
      ...batchRoutes(notes),
      ...historyRoutes(notes),
      ...attachmentsRoutes(attachments),
      ...linksRoutes(links),
      ...foldersRoutes(folders, notes),
      ...syncRoutes(sync),
      ...searchRoutes(search),
      ...apiKeysRoutes(apiKeys),
      ...connectionsRoutes(connections),
      ...devicesRoutes(devices),
      ...logsRoutes(logs),
      ...oauthRoutes(oauth),
    ],
    rawRoutes: [...providerRoutes(oauth, publicUrl), ...consentRoutes(oauth), ...linkPageRoutes(devices)],
    ...{ sockets, socketRoutes: socketRoutes(collaboration) },
    guard: {
      authenticate: (authorization, client) => credentials.authenticate(authorization, client),
      consumeQuota: ({ userId, tier }, use) => rateLimits.consume(userId, tier, use),
      async openVault(principal, header, need) {
        const vault = await vaults.openVault(principal, header, need);
        // What people typed over sockets is part of the vault from the moment it was acknowledged.
        await notes.live.flush(vault);
        return vault;
      },
    },
    idempotency,
    ready: () => keys.probe(),
  });
  return {
    ...{
      http,
      accounts,
      vaults,
      notes,
      attachments,
      links,
      folders,
      search,
      sync,
      cache,
      credentials,
      devices,
      oauth,
      logs,
      keys,
    },
    ...{ productEvents, sockets, jobRunner },
    async [Symbol.asyncDispose]() {
      await http.close();
      collaboration[Symbol.dispose]();
      metrics?.[Symbol.dispose]();
      await jobRunner[Symbol.asyncDispose]();
      await search[Symbol.asyncDispose]();
      await notes[Symbol.asyncDispose]();
      await compute[Symbol.asyncDispose]();
      // Nothing depends on these: a database that is away must not keep the process from ending.
      await credentials.flushLastUsed().catch(() => undefined);
      await productEvents.flush().catch(() => undefined);
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
