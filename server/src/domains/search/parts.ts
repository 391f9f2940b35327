import type { Clock } from '../../engines/clock/clock.ts';
import type { Database } from '../../engines/database/database.ts';
import type { Embedder } from '../../engines/embedder/embedder.ts';
import type { Notes } from '../notes/notes.ts';
import type { Vaults } from '../vaults/vaults.ts';
import type { SearchThread } from './thread.ts';

/** What the verbs of this room work with. */
export interface SearchParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly vaults: Pick<Vaults, 'feed' | 'list' | 'openVault' | 'openForWork'>;
  readonly notes: Pick<Notes, 'sealedAfter' | 'sealedOf' | 'live'>;
  readonly thread: SearchThread;
  readonly embedder: Embedder;
  /** Leaves the machine to others for so long, or until the signal is aborted. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>;
}
