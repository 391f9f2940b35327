import { IDBKeyRange } from 'fake-indexeddb';
import type { StandInClock } from './clock.ts';

/**
 * Gives modules that run without a browser a `window` with the timers of a device and the ranges of a database. The app's windows have
 * timers of their own, so a plugin names the window whose timers it uses (lint: prefer-window-timers).
 */
export function installWindow(clock: StandInClock): Disposable {
  const target = new EventTarget();
  const repeat = (run: () => void, ms: number, id: { current: number }): void => {
    id.current = clock.setTimeout(() => {
      repeat(run, ms, id);
      run();
    }, ms);
  };
  const intervals = new Map<number, { current: number }>();
  const window = Object.assign(target, {
    IDBKeyRange,
    setTimeout: (run: () => void, ms?: number) => clock.setTimeout(run, ms),
    clearTimeout: (id?: number) => clock.clearTimeout(id),
    setInterval: (run: () => void, ms: number) => {
      const id = { current: 0 };
      repeat(run, ms, id);
      intervals.set(id.current, id);
      return id.current;
    },
    clearInterval: (id: number) => clock.clearTimeout(intervals.get(id)?.current),
  });
  Object.assign(globalThis, { window });
  return { [Symbol.dispose]: () => void Reflect.deleteProperty(globalThis, 'window') };
}
