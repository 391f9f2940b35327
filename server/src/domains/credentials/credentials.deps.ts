import type { EventSink } from '../../events.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Keys } from '../keys/keys.ts';
import type { TokenLookup } from './token-lookup.ts';

/** Look-ups of tokens by later domains; bound in app/. */
export interface CredentialHooks {
  readonly findDeviceToken: TokenLookup;
  readonly findOAuthToken: TokenLookup;
}

/** The injected dependencies of the domain. */
export interface CredentialDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'authenticate' | 'recall'>;
  readonly events: EventSink;
  readonly hooks: CredentialHooks;
}
