import type { UserId } from '@notevault/protocol/ids.ts';
import type { EventSink } from '../../events.ts';
import type { AnalyticsSink } from '../../ports/analytics/analytics.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Keys } from '../keys/keys.ts';
import type { PlanTable } from '../plans/plans.ts';
import type { PasswordCost } from './passwords.ts';

/** What accounts must cause in later domains; bound in app/. */
export interface AccountHooks {
  /**
   * Erases what the user owns elsewhere: keys first, then rows and blobs. Called until it resolves, also after a crash,
   * so it must go on where it stopped.
   */
  erasing(userId: UserId): Promise<void>;
}

/** The injected dependencies of the domain. */
export interface AccountDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  /** Who may register once there is a first account. */
  readonly registration: 'open' | 'invite_only' | 'closed';
  readonly plans: PlanTable;
  /** Plan of new accounts. */
  readonly defaultPlan: string;
  /** Whoever erases people from the analytics tool; null where nothing is sent to any. */
  readonly analytics: Pick<AnalyticsSink, 'erase'> | null;
  /** What a new password hash costs; by default what production must have. */
  readonly passwordCost?: PasswordCost;
  readonly hooks: AccountHooks;
  readonly events: EventSink;
}
