import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Keys } from '../keys/keys.ts';
import type { Vaults } from '../vaults/vaults.ts';

/** The injected dependencies of the domain. */
export interface DeviceDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'lockUser' | 'me' | 'identify'>;
  readonly vaults: Pick<Vaults, 'list' | 'create' | 'openVault'>;
  readonly credentials: Pick<Credentials, 'insert' | 'end' | 'existed' | 'ownVaults' | 'recordFirstUse'>;
  /** Public origin of the server. */
  readonly publicUrl: string;
}
