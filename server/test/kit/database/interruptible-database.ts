import { type Database, DatabaseError } from '../../../src/ports/database/database.ts';

/** A database that refuses new calls while `away` is true; calls under way continue. */
export function interruptible(db: Database): Database & { away: boolean } {
  const state = { away: false };
  return new Proxy(db, {
    get(target, name) {
      if (name === 'away') return state.away;
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== 'function') return own;
      return (...sent: unknown[]) =>
        state.away ? Promise.reject(new DatabaseError('unavailable', 'it is away')) : own.apply(target, sent);
    },
    set(_target, name, value) {
      if (name === 'away') state.away = value === true;
      return name === 'away';
    },
  }) as Database & { away: boolean };
}
