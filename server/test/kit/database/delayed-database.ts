import { setTimeout as delay } from 'node:timers/promises';
import type { Database, ReadHandle, WriteHandle } from '../../../src/ports/database/database.ts';
import type { Random } from '../random.ts';

/** One in this many calls is delayed. */
const EVERY = 4;
const LONGEST_MS = 12;

/**
 * A database whose calls, also those inside transactions, are delayed at random, so that other writes interleave
 * between the reads and writes of a slow process. For PostgreSQL only, because on SQLite a transaction may await
 * nothing but its handle.
 */
export function delayed(db: Database, random: Random): Database {
  const pause = async () => {
    if (random.below(EVERY) === 0) await delay(random.below(LONGEST_MS));
  };
  const slow = <Handle extends ReadHandle | WriteHandle>(handle: Handle): Handle =>
    new Proxy(handle, {
      get(target, name) {
        const own: unknown = Reflect.get(target, name, target);
        if (typeof own !== 'function') return own;
        if (name === 'onCommit') return own.bind(target);
        return async (...sent: unknown[]) => {
          await pause();
          return own.apply(target, sent);
        };
      },
    });
  return new Proxy(db, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== 'function' || typeof name === 'symbol' || name === 'migrate') {
        return typeof own === 'function' ? own.bind(target) : own;
      }
      return async (...[first, ...rest]: unknown[]) => {
        await pause();
        const sent = name === 'read' || name === 'transact' ? inSlowBody(first) : first;
        const result = await own.apply(target, [sent, ...rest]);
        await pause();
        return result;
      };
    },
  });

  function inSlowBody(body: unknown) {
    return (handle: ReadHandle | WriteHandle) => (body as (handle: ReadHandle | WriteHandle) => unknown)(slow(handle));
  }
}
