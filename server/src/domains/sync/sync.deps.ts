import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Attachments } from '../attachments/attachments.ts';
import type { Entries } from '../entries/entries.ts';
import type { Links } from '../links/links.ts';
import type { Notes } from '../notes/notes.ts';
import type { ChangeFeeds, VaultCache, Vaults } from '../vaults/vaults.ts';

export interface SyncDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vaults: ChangeFeeds & Pick<Vaults, 'openAsSystem'>;
  readonly cache: VaultCache;
  readonly notes: Notes;
  readonly attachments: Attachments;
  readonly entries: Entries;
  readonly links: Pick<Links, 'graphEdges'>;
  /** Minimum number of days for which a tombstone is kept. */
  readonly tombstoneDays: number;
}
