import type { Engine } from './statement.ts';

/** A row of a query; columns have the same names and values on both engines. */
export type SnapshotRow = Readonly<Record<string, string | number | Uint8Array | null>>;

/** A part of a snapshot: the file of an embedded database, or the rows of one table. */
export interface SnapshotPart {
  /** Name of the file or table. */
  readonly name: string;
  /** The columns of a table, in the order of its rows; null for a file. */
  readonly columns: readonly string[] | null;
  /** Must be iterated to the end before the next part. A piece may be overwritten by the next one. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The whole database as it was at one moment, read beside writers, which do not wait for it. */
export interface DatabaseSnapshot extends AsyncDisposable {
  readonly engine: Engine;
  /** Runs a query on the snapshot; parameters are `$1`, `$2`… Not while a part is read. */
  all(sql: string, ...params: readonly (string | number)[]): Promise<readonly SnapshotRow[]>;
  /** All that a restore needs, without the rows of tables that were left out, in the order in which it can be restored. */
  parts(): AsyncIterable<SnapshotPart>;
}
