import type { Blobs } from '../../ports/blobs/blobs.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Attachments } from '../attachments/attachments.ts';
import type { Folders } from '../entries/entries.ts';
import type { Links } from '../links/links.ts';
import type { Notes } from '../notes/notes.ts';
import type { VaultCache, Vaults } from '../vaults/vaults.ts';

/** The injected dependencies of the domain. */
export interface ImportDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly blobs: Blobs;
  readonly vaults: Pick<Vaults, 'openVault' | 'openAsSystem'>;
  readonly cache: Pick<VaultCache, 'snapshot'>;
  readonly notes: Pick<Notes, 'upsertMany' | 'cache'>;
  readonly attachments: Pick<Attachments, 'upload' | 'cache'>;
  readonly folders: Pick<Folders, 'listAt'>;
  readonly links: Pick<Links, 'countDangling'>;
  /** Reports a failure that nobody waits for. */
  readonly failed: (error: unknown) => void;
}
