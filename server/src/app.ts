import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { checkedDatabase } from './app/checked-database.ts';
import { createDomains } from './app/create-domains.ts';
import type { Domains } from './app/domains.ts';
import { addGauges } from './app/gauges.ts';
import { RequestGuard } from './app/guard.ts';
import { jobsOf } from './app/jobs.ts';
import { subscribeListeners } from './app/listeners.ts';
import { type Config, publicUrlOf } from './config/config.ts';
import type { AccountDeps } from './domains/content/accounts/accounts.ts';
import type { TrashLimits } from './domains/content/entries/entries.ts';
import { holdRights } from './domains/content/vaults/rights.ts';
import type { ArchiveLimits } from './domains/exchanging/imports/archive/archive.ts';
import type { McpDeps } from './domains/exchanging/mcp/mcp.ts';
import { createRateLimits } from './domains/foundation/plans/plans.ts';
import type { DownloadsDeps } from './domains/operating/downloads/downloads.ts';
import { Collaboration } from './domains/reading/sync/sockets/collaboration.ts';
import { Events } from './events.ts';
import { Sockets } from './http/connections/sockets.ts';
import { findWebApp, type WebApp } from './http/web/web-app.ts';
import { JobRunner } from './jobs.ts';
import { openAnalytics, openTracing, type Ports } from './open-ports.ts';
import type { AnalyticsSink } from './ports/analytics/analytics.ts';
import type { Tracing } from './ports/tracing/tracing.ts';
import { programPath } from './program/program.ts';
import { meteredDatabase, tracedDatabase, tracedJobs } from './telemetry/metered-database.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { type DiskReserve, StorageState } from './telemetry/storage-state.ts';

export interface AppPorts
  extends Pick<Ports, 'db' | 'keyring' | 'blobs' | 'bus' | 'clock' | 'embedder' | 'fetcher' | 'mailer'> {
  /** Room on the disk of the data folder, with which people can sign in and delete when it is full. */
  readonly reserve?: DiskReserve;
}

/** Settings that no configuration may change, for tests of other things. */
export interface AppOverrides extends Pick<AccountDeps, 'passwordCost'> {
  /** Serves something else than the tools at the endpoint for assistants. */
  readonly createMcpServer?: NonNullable<McpDeps['createServer']>;
  readonly trashLimits?: TrashLimits;
  readonly trialMs?: number;
  readonly archiveLimits?: ArchiveLimits;
  readonly spoolBytes?: number;
  /** The web app to serve, null for none; by default the one that was built. */
  readonly webApp?: WebApp | null;
  /** The folder of the program that is handed out; by default the one that runs. */
  readonly program?: string;
  readonly embedded?: DownloadsDeps['embedded'];
}

export interface Context {
  /** The database is measured and traced if that is configured. */
  readonly ports: AppPorts;
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly events: Events;
  /** The receiver of product analytics; null for none. */
  readonly analytics: AnalyticsSink | null;
  readonly publicUrl: string;
  readonly overrides: AppOverrides;
}

/** A service that does not listen yet: the operations for the command line, and the same operations behind HTTP. */
export interface App extends Domains, AsyncDisposable {
  /** The HTTP server, created on first use: a single command needs none. */
  readonly http: () => Promise<FastifyInstance>;
  readonly sockets: Sockets;
  /** Background work derived from stored state (purges, erasures): started by `serve`, not by single commands. */
  readonly jobRunner: JobRunner;
  /** Whether there is a web app; without its build there is none. */
  readonly hasWebApp: boolean;
}

/** Folder of the built web app, in the repository and in the package alike. */
const WEB_APP = programPath('web/dist');

/** Metrics and tracing of the server's calls. */
export interface Observers {
  readonly metrics: Metrics | null;
  readonly tracing: Tracing | null;
}

/** Creates the domains. Throws KeyringError for a wrong master key. */
export async function buildApp(
  ports: AppPorts,
  config: Config,
  log: FastifyBaseLogger,
  overrides: AppOverrides = {},
): Promise<App> {
  const metrics = await openMetrics(config);
  const tracing = await openTracing(config, ports.clock, log);
  const observers = { metrics, tracing };
  const storage = new StorageState({
    elapsed: ports.clock.elapsed,
    onDamage: (err) => log.error({ err }, 'the database is damaged; this is logged once: notevault doctor says more'),
    onFull: () => log.error('the disk is full; notevault doctor names the folder'),
    reserve: ports.reserve ?? null,
  });
  const context: Context = {
    ports: {
      ...ports,
      db: checkedDatabase(observed(storage.watchDatabase(ports.db), observers), holdRights),
      blobs: storage.watchBlobs(ports.blobs),
    },
    config,
    log,
    events: new Events((error, event) => log.error({ err: error, event }, 'a listener of an event failed')),
    analytics: openAnalytics(config, log),
    publicUrl: publicUrlOf(config, config.port),
    overrides,
  };
  const domains = await createDomains(context);
  const collaboration = createCollaborationOf(context, domains);
  const guard = new RequestGuard(domains, context.ports.db, createRateLimits(ports.clock, config.plans));
  subscribeListeners(context.events, domains, collaboration, guard, { metrics, log });
  if (metrics !== null) addGauges(metrics, domains, collaboration, { ...context, storage });
  const jobs = jobsOf(domains, context.ports);
  const jobRunner = new JobRunner(log, ports.clock, tracing === null ? jobs : tracedJobs(jobs, tracing));
  const sockets = new Sockets(() => collaboration.tick());
  const webApp = overrides.webApp === undefined ? await findWebApp(WEB_APP) : overrides.webApp;
  const serves = { guard, sockets, observers, webApp, storage };
  let http: Promise<FastifyInstance> | undefined;
  const build = async () => {
    const { buildHttpOf } = await import('./app/build-http.ts');
    return buildHttpOf(context, domains, collaboration, serves);
  };
  return {
    ...domains,
    http: () => {
      http ??= build();
      return http;
    },
    sockets,
    jobRunner,
    hasWebApp: webApp !== null,
    [Symbol.asyncDispose]: () => close({ http, collaboration, jobRunner, domains, observers }),
  };
}

/** The metrics of the process; null if none are collected, in which case their library is not loaded. */
async function openMetrics({ metricsToken }: Config): Promise<Metrics | null> {
  if (metricsToken === null) return null;
  const { Metrics } = await import('./telemetry/metrics.ts');
  return new Metrics();
}

function observed(db: AppPorts['db'], { metrics, tracing }: Observers): AppPorts['db'] {
  const metered = metrics === null ? db : meteredDatabase(db, metrics);
  return tracing === null ? metered : tracedDatabase(metered, tracing);
}

function createCollaborationOf({ ports, config }: Context, { notes, vaults, credentials }: Domains): Collaboration {
  return new Collaboration({
    clock: ports.clock,
    bus: ports.bus,
    live: notes.live,
    vaults,
    limits: { socketsPerUser: config.socketsPerUser, documentsPerSocket: config.documentsPerSocket },
    hooks: {
      authenticate: (token, caller) => credentials.authenticateToken(token, caller),
      recall: (principal) => credentials.recall(principal),
    },
  });
}

interface Running extends Pick<App, 'jobRunner'> {
  readonly http: Promise<FastifyInstance> | undefined;
  readonly collaboration: Collaboration;
  readonly domains: Domains;
  readonly observers: Observers;
}

/** Closes from the outside in: first no new calls, then the end of running work. */
async function close({ http, collaboration, jobRunner, domains, observers }: Running): Promise<void> {
  // If it could not be created, there is nothing to close, and its caller has the error.
  await (await http?.catch(() => undefined))?.close();
  collaboration[Symbol.dispose]();
  observers.metrics?.[Symbol.dispose]();
  await jobRunner[Symbol.asyncDispose]();
  await domains.search[Symbol.asyncDispose]();
  await domains.notes[Symbol.asyncDispose]();
  await domains.links[Symbol.asyncDispose]();
  await domains.compute[Symbol.asyncDispose]();
  // Nothing depends on these: an unavailable database must not keep the process from ending.
  await domains.credentials.flushLastUsed().catch(() => undefined);
  await domains.productEvents.flush().catch(() => undefined);
  await observers.tracing?.[Symbol.asyncDispose]();
}
