import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config/config.ts';
import type { AccountDeps } from '../domains/accounts/accounts.deps.ts';
import type { TrashRoom } from '../domains/entries/entries.ts';
import type { ArchiveLimits } from '../domains/imports/archive/archive.ts';
import type { McpDeps } from '../domains/mcp/mcp.deps.ts';
import type { Events } from '../events.ts';
import type { WebApp } from '../http/web/web-app.ts';
import type { Ports } from '../open-ports.ts';
import type { AnalyticsSink } from '../ports/analytics/analytics.ts';

/** The ports that the domains use. */
export type AppPorts = Pick<Ports, 'db' | 'keyring' | 'blobs' | 'bus' | 'clock' | 'embedder' | 'fetcher'>;

/** Settings that no configuration may change, for tests of other things. */
export interface AppOverrides extends Pick<AccountDeps, 'passwordCost'> {
  /** Serves something else than the tools at the endpoint for assistants. */
  readonly createMcpServer?: NonNullable<McpDeps['createServer']>;
  readonly trashRoom?: TrashRoom;
  readonly archiveLimits?: ArchiveLimits;
  /** The web app to serve, null for none; by default the one that was built. */
  readonly webApp?: WebApp | null;
}

/** The input for creating the domains. */
export interface Context {
  /** The database is measured and traced if that is configured. */
  readonly ports: AppPorts;
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly events: Events;
  /** The receiver of product analytics; null for none. */
  readonly analytics: AnalyticsSink | null;
  /** Public origin of the server. */
  readonly publicUrl: string;
  readonly overrides: AppOverrides;
}
