import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Embedder } from '../../ports/embedder/embedder.ts';
import type { Notes } from '../notes/notes.ts';
import type { Vaults } from '../vaults/vaults.ts';
import type { WorkerClient } from './worker/worker-client.ts';

/** What the search domain works with. */
export interface SearchDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vaults: Pick<Vaults, 'feed' | 'list' | 'openVault' | 'openAsSystem'>;
  readonly notes: Pick<Notes, 'sealedAfter' | 'sealedOf' | 'live'>;
  readonly worker: WorkerClient;
  readonly embedder: Embedder;
  /** Pauses background work that just ran for `ms`, so that it takes its share of the time and no more. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Is told of failures of background work. */
  readonly reportError: (error: unknown) => void;
}
