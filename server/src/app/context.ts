import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config/config.ts';
import type { AccountDeps } from '../domains/accounts/accounts.deps.ts';
import type { Events } from '../events.ts';
import type { Ports } from '../open-ports.ts';
import type { AnalyticsSink } from '../ports/analytics/analytics.ts';

/** The ports that the domains stand on. */
export type AppPorts = Pick<
  Ports,
  'db' | 'keyring' | 'blobs' | 'bus' | 'singleProcess' | 'clock' | 'embedder' | 'fetcher'
>;

/** What no configuration may change: for tests that are about something else. */
export type AppOverrides = Pick<AccountDeps, 'passwordCost'>;

/** What the domains are made from. */
export interface Context {
  /** The database is measured and traced, where that is wanted. */
  readonly ports: AppPorts;
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly events: Events;
  /** Where product analytics go; null: nowhere. */
  readonly analytics: AnalyticsSink | null;
  /** Origin under which clients reach the server. */
  readonly publicUrl: string;
  readonly overrides: AppOverrides;
}
