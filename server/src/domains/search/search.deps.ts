import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Embedder } from '../../ports/embedder/embedder.ts';
import type { Notes } from '../notes/notes.ts';
import type { Vaults } from '../vaults/vaults.ts';
import type { WorkerClient } from './worker/worker-client.ts';

/** The dependencies of the search domain. */
export interface SearchDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vaults: Pick<Vaults, 'feed' | 'list' | 'openVault' | 'openAsSystem'>;
  readonly notes: Pick<Notes, 'sealedAfter' | 'sealedOf' | 'live'>;
  readonly worker: WorkerClient;
  readonly embedder: Embedder;
  /** Pauses background work that just ran for `ms`, so that it takes only its share of the time. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Reports failures of background work. */
  readonly reportError: (error: unknown) => void;
}
