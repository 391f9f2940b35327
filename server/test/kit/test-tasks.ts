import { NotevaultError } from '@notevault/protocol/errors.ts';
import { serveTasks, Transfer } from '../../src/concurrency/task-worker.ts';

// A worker thread for tests of the pool, with tasks that succeed, fail, and never end.

/** Blocks its thread for the given milliseconds of processor time. */
function burn({ ms }: { ms: number }): number {
  const start = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(start);
    if (user + system >= ms * 1000) return ms;
  }
}

export const testTasks = {
  burn,
  double: ({ value }: { value: number }) => value * 2,
  spin: (_: null): never => {
    for (;;);
  },
  fill: (_: null) => {
    const kept: object[] = [];
    for (;;) kept.push({ at: kept.length });
  },
  refuse: (_: null): never => {
    throw new NotevaultError('note_too_large');
  },
  fail: ({ text }: { text: string }): never => {
    throw new RangeError(text);
  },
  exit: (_: null): never => process.exit(3),
  bytes: ({ length }: { length: number }) => {
    const bytes = new Uint8Array(length).fill(7);
    return new Transfer(bytes, [bytes.buffer]);
  },
};

serveTasks(testTasks);
