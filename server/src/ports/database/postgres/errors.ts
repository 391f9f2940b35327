import { DatabaseError as SqlError } from 'pg';
import { ConstraintError, DatabaseError } from '../database.ts';

const CONSTRAINTS = new Map<string, ConstraintError['kind']>([
  ['23505', 'unique'],
  ['23503', 'foreign'],
  ['23001', 'foreign'],
  ['23514', 'check'],
  ['23502', 'check'],
]);

/** Deadlock and serialisation failure. */
const LOST_RACES = new Set(['40P01', '40001']);
/** A statement or lock timeout: the server is too slow for the request. */
const TOO_SLOW = new Set(['57014', '55P03']);
/** Classes of codes of a server that cannot serve: connection, lost prepared statement, log-in, resources, operator… */
const UNAVAILABLE = ['08', '26', '28', '3D', '53', '57', '58', 'XX'];
/** A page of a table or an index is damaged, or a file missing. */
const DAMAGED = ['XX001', 'XX002', '58P01'];
const DISK_FULL = '53100';
const READ_ONLY_SERVER = '25006';
const IDLE_IN_TRANSACTION = '25P03';

/** Converts an error of `pg` to the port's error; a fault of the statement itself is returned as it is. */
export function portError(error: unknown): unknown {
  if (error instanceof DatabaseError || error instanceof ConstraintError) return error;
  const code = error instanceof SqlError ? error.code : undefined;
  // Thrown by our own parsers for an integer beyond the exact numbers.
  if (error instanceof RangeError) return error;
  // Any other error without a code of the server means a broken, closed or silent connection.
  if (code === undefined) return new DatabaseError('unavailable', 'the connection to PostgreSQL was lost', error);
  const kind = CONSTRAINTS.get(code);
  if (kind !== undefined) return new ConstraintError(kind, error);
  if (LOST_RACES.has(code) || isStalePlan(error)) {
    return new DatabaseError('overloaded', 'the transaction kept conflicting with others', error);
  }
  if (TOO_SLOW.has(code)) return new DatabaseError('overloaded', 'PostgreSQL took too long', error);
  if (code === IDLE_IN_TRANSACTION)
    return new DatabaseError('body_left_open', 'the body did not use its handle for too long', error);
  if (code === READ_ONLY_SERVER || UNAVAILABLE.includes(code.slice(0, 2))) {
    const damaged = DAMAGED.includes(code);
    const reason = damaged ? 'PostgreSQL found damaged data' : 'PostgreSQL is unavailable';
    return new DatabaseError('unavailable', reason, error, { damaged, full: code === DISK_FULL });
  }
  return error;
}

/** Whether running the whole transaction again may succeed. */
export function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof DatabaseError) || !(error.cause instanceof SqlError)) return false;
  return LOST_RACES.has(error.cause.code ?? '') || isStalePlan(error.cause);
}

/** Whether another process's migration has changed the columns of a prepared statement; preparing it again helps. */
export function isStalePlan(error: unknown): boolean {
  return error instanceof SqlError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

/** Whether the connection must no longer be used. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === 'unavailable';
}
