/**
 * A temporary list of values (plain data and sealed bytes) that are added one after another and read in that order, as
 * often as needed. What does not fit in memory is kept on disk, in a file that no other process sees and no crash
 * leaves behind.
 */
export interface Spool<Value> extends AsyncDisposable {
  /** Bytes in memory. */
  readonly heldBytes: number;
  /** Whether a read may have to wait for the disk. */
  readonly isOnDisk: boolean;
  add(value: Value): Promise<void>;
  /** All values, in the order in which they were added. Throws once the spool is closed, also between two values. */
  values(): AsyncIterable<Value>;
}

export type OpenSpool = <Value>() => Spool<Value>;
