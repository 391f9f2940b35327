import { ConstraintError, DatabaseError } from '../database.ts';

/** Primary result codes (the low byte) for a failure of the file, the disk or the memory, not of the statement. */
const UNAVAILABLE = new Map([
  [7, 'out of memory'],
  [8, 'the database file is read-only'],
  [10, 'the disk refused to read or write'],
  [11, 'the database file is damaged'],
  [13, 'the disk is full'],
  [14, 'the database file cannot be opened'],
  [26, 'the file is not a database'],
]);
/** The file is damaged, or was never a database. */
const DAMAGED = [11, 26];
const BUSY = 5;
const FULL = 13;

const CONSTRAINTS = new Map<number, ConstraintError['kind']>([
  [2067, 'unique'],
  [1555, 'unique'],
  [2579, 'unique'],
  [787, 'foreign'],
  [275, 'check'],
  [1299, 'check'],
]);

/** Converts an error of SQLite to the port's error; a fault of the statement itself is returned as it is. */
export function portError(error: unknown): unknown {
  const code = resultCode(error);
  if (code === undefined) return error;
  const kind = CONSTRAINTS.get(code);
  if (kind !== undefined) return new ConstraintError(kind, error);
  const reason = UNAVAILABLE.get(code & 0xff);
  if (reason !== undefined) {
    const state = { damaged: DAMAGED.includes(code & 0xff), full: (code & 0xff) === FULL };
    return new DatabaseError('unavailable', reason, error, state);
  }
  if (isBusy(error)) return new DatabaseError('overloaded', 'another process holds the database', error);
  return error;
}

export function isBusy(error: unknown): boolean {
  return ((resultCode(error) ?? 0) & 0xff) === BUSY;
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}
