import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { EventSink } from '../../events.ts';
import type { AnalyticsSink } from '../../ports/analytics/analytics.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Keys } from '../keys/keys.ts';
import type { PlanTable } from '../plans/plans.ts';
import type { PasswordCost } from './passwords.ts';

/** Effects of accounts in later domains; bound in app/. */
export interface AccountHooks {
  /**
   * Erases what the user owns in other domains: keys first, then rows and blobs. Called until it resolves, also after a
   * crash, so it must continue where it stopped.
   */
  erasing(userId: UserId): Promise<void>;
}

/** The injected dependencies of the domain. */
export interface AccountDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  /** Who may register after the first account. */
  readonly registration: 'open' | 'invite_only' | 'closed';
  readonly plans: PlanTable;
  /** Plan of new accounts. */
  readonly defaultPlan: string;
  /** Erases people from the analytics tool; null if no analytics are sent. */
  readonly analytics: Pick<AnalyticsSink, 'erase'> | null;
  /** Cost of new password hashes; the cost for production by default. */
  readonly passwordCost?: PasswordCost;
  readonly hooks: AccountHooks;
  readonly events: EventSink;
}
