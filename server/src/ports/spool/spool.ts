/**
 * Values that are put aside one after the other, and read again in that order, as often as needed: plain data and sealed
 * bytes. What memory should not hold waits on disk, in a file that no other process sees and no crash leaves behind.
 */
export interface Spool<Value> extends AsyncDisposable {
  /** Bytes that are held in memory. */
  readonly heldBytes: number;
  /** Whether reading may have to wait for the disk. */
  readonly isOnDisk: boolean;
  add(value: Value): Promise<void>;
  /** All values, in the order in which they were added. Throws once the spool is closed, also between two values. */
  values(): AsyncIterable<Value>;
}

export type OpenSpool = <Value>() => Spool<Value>;
