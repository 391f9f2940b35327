import type { CopyCheck } from '../verify/check-copy.ts';

/** The data before a restore. */
export interface RestorePoint {
  /** The name of its folder in the data folder, or of its schema in the database. */
  readonly name: string;
  readonly bytes: number;
}

/** A return to a restore point. */
export interface Returned {
  readonly checked: CopyCheck;
  /** Where the data before the return is kept; null when there was none. */
  readonly restorePoint: string | null;
}
