import { DatabaseError as SqlError } from 'pg';
import { ConstraintError, DatabaseError } from './database.ts';

const CONSTRAINTS = new Map<string, ConstraintError['kind']>([
  ['23505', 'unique'],
  ['23503', 'foreign'],
  ['23001', 'foreign'],
  ['23514', 'check'],
  ['23502', 'check'],
]);

/** Deadlock and serialisation failure. */
const LOST_RACES = new Set(['40P01', '40001']);
/** A statement or lock timeout: the server is too slow for what it is asked. */
const TOO_SLOW = new Set(['57014', '55P03']);
/** Classes of codes that say the server cannot serve: connection, forgotten statement, log-in, resources, operator… */
const UNAVAILABLE = ['08', '26', '28', '3D', '53', '57', '58', 'XX'];
/** A page of a table or an index is not what was written. */
const DAMAGED = ['XX001', 'XX002'];
const READ_ONLY_SERVER = '25006';
const IDLE_IN_TRANSACTION = '25P03';

/** The port's error for what `pg` threw; a fault of the statement itself stays as it is. */
export function portError(error: unknown): unknown {
  if (error instanceof DatabaseError || error instanceof ConstraintError) return error;
  const code = error instanceof SqlError ? error.code : undefined;
  // Thrown by our own parsers over a value that no number holds.
  if (error instanceof RangeError) return error;
  // Everything else without a code from the server is a broken, closed or silent connection.
  if (code === undefined) return new DatabaseError('unavailable', 'the connection to PostgreSQL was lost', error);
  const kind = CONSTRAINTS.get(code);
  if (kind !== undefined) return new ConstraintError(kind, error);
  if (LOST_RACES.has(code) || isStalePlan(error)) {
    return new DatabaseError('overloaded', 'the transaction kept losing against others', error);
  }
  if (TOO_SLOW.has(code)) return new DatabaseError('overloaded', 'PostgreSQL took too long', error);
  if (code === IDLE_IN_TRANSACTION) return new DatabaseError('body_left_open', 'the body left its handle alone', error);
  if (code === READ_ONLY_SERVER || UNAVAILABLE.includes(code.slice(0, 2))) {
    const damaged = DAMAGED.includes(code);
    const reason = damaged ? 'PostgreSQL found a damaged page' : 'PostgreSQL cannot serve now';
    return new DatabaseError('unavailable', reason, error, { damaged });
  }
  return error;
}

/** Whether running the whole transaction again may succeed. */
export function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof DatabaseError) || !(error.cause instanceof SqlError)) return false;
  return LOST_RACES.has(error.cause.code ?? '') || isStalePlan(error.cause);
}

/** A prepared statement whose columns another process's migration has changed; prepared anew it works. */
export function isStalePlan(error: unknown): boolean {
  return error instanceof SqlError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

/** Whether the connection should no longer be used. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === 'unavailable';
}
