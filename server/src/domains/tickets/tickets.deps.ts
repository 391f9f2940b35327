import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Attachments } from '../attachments/attachments.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Folders } from '../entries/entries.ts';
import type { Keys } from '../keys/keys.ts';
import type { Notes } from '../notes/notes.ts';
import type { VaultCache, Vaults } from '../vaults/vaults.ts';

/** What an export reads. */
export interface ExportDeps {
  readonly clock: Clock;
  readonly cache: Pick<VaultCache, 'snapshot'>;
  readonly notes: Pick<Notes, 'getById' | 'cache'>;
  readonly attachments: Pick<Attachments, 'open' | 'upload' | 'cache'>;
  readonly folders: Pick<Folders, 'listAt'>;
}

/** The injected dependencies of the domain. */
export interface TicketDeps extends ExportDeps {
  readonly db: Database;
  readonly keys: Pick<Keys, 'openServer'>;
  readonly credentials: Pick<Credentials, 'recall'>;
  readonly vaults: Pick<Vaults, 'openVault'>;
  /** Public origin of the server, with which the URLs of tickets begin. */
  readonly publicUrl: string;
}
