import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Attachments } from '../attachments/attachments.ts';
import type { Entries } from '../entries/entries.ts';
import type { Notes } from '../notes/notes.ts';
import type { ChangeFeeds, VaultCache, Vaults } from '../vaults/vaults.ts';

/** The injected dependencies of the domain. */
export interface SyncDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vaults: ChangeFeeds & Pick<Vaults, 'openAsSystem'>;
  readonly cache: VaultCache;
  readonly notes: Notes;
  readonly attachments: Attachments;
  readonly entries: Entries;
  /** Days a tombstone is kept at least. */
  readonly tombstoneDays: number;
}
