/**
 * Hints between the processes that share a database.
 *
 * Delivery is best effort: a hint may be lost, doubled or late, so subscribers also poll now and then. The hints of one
 * process that arrive do so in the order in which they were published.
 */
export interface Bus extends AsyncDisposable {
  /** Sends a hint to the other processes, without waiting. Drops it if it is larger than HINT_BYTES_MAX. */
  publish(topic: string, payload: string): void;
  /** Calls `listener` with what other processes publish, until disposed of. `listener` must not throw. */
  subscribe(topic: string, listener: (payload: string) => void): Disposable;
  /** Calls `listener` when hints may have been lost, once later ones arrive again. */
  onMissed(listener: () => void): Disposable;
}

/**
 * Maximum UTF-8 bytes of a topic and its payload together; they fit into a PostgreSQL notification with some reserve.
 */
export const HINT_BYTES_MAX = 6_000;
