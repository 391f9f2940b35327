import type { EventSink } from '../../events.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { SafeFetch } from '../../ports/safe-fetch/safe-fetch.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Keys } from '../keys/keys.ts';
import type { PlanTable } from '../plans/plans.ts';
import type { Vaults } from '../vaults/vaults.ts';
import type { LastUsed } from './last-used.ts';

/** What OAuth needs of the world. */
export interface OAuthSettings {
  readonly web: SafeFetch;
  /** Redirects of applications that the operator vouches for, in full. */
  readonly verifiedRedirects: readonly string[];
  /** The page that people see when a request cannot go back to its application. */
  errorPage(fault: { error: string; description: string | null }): { body: string; headers: Record<string, string> };
  /** Hears of failures that no client is to blame for. Must not throw. */
  failed(error: unknown): void;
}

/** The injected dependencies of the domain. */
export interface ConnectionDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'authenticate' | 'recall' | 'lockUser' | 'me' | 'identify'>;
  readonly vaults: Pick<Vaults, 'list' | 'create' | 'openVault'>;
  readonly plans: PlanTable;
  /** Origin under which clients reach the server. */
  readonly publicUrl: string;
  readonly oauth: OAuthSettings;
  readonly events: EventSink;
}

/** The same, for what is used and says so. */
export interface ConnectionDepsWithUsage extends ConnectionDeps {
  readonly lastUsed: LastUsed;
}
