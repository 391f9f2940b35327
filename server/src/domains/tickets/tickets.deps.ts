import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Attachments } from '../attachments/attachments.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Keys } from '../keys/keys.ts';
import type { Vaults } from '../vaults/vaults.ts';

/** The injected dependencies of the domain. */
export interface TicketDeps {
  readonly db: Database;
  readonly keys: Pick<Keys, 'openServer'>;
  readonly clock: Clock;
  readonly credentials: Pick<Credentials, 'recall'>;
  readonly vaults: Pick<Vaults, 'openVault'>;
  readonly attachments: Pick<Attachments, 'open' | 'upload'>;
  /** Public origin of the server, with which the URLs of tickets begin. */
  readonly publicUrl: string;
}
