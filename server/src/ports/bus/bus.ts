/**
 * Hints between the processes that share a database.
 *
 * Lossy by contract: a hint may be dropped, come twice, or come late, so who listens also looks for itself now and then.
 * Hints of one process arrive in the order in which they were published, those that arrive.
 */
export interface Bus extends AsyncDisposable {
  /** Tells the other processes, never this one; at once for the caller, in batches on the way. Dropped when over HINT_BYTES_MAX. */
  publish(topic: string, payload: string): void;
  /** Hears what the others publish, until disposed of. `hear` must not throw. */
  subscribe(topic: string, listener: (payload: string) => void): Disposable;
}

/** Bytes of UTF-8 a topic and its payload may have together: what fits a notification of PostgreSQL, with room to spare. */
export const HINT_BYTES_MAX = 6_000;
