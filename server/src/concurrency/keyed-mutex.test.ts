import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedMutex } from './keyed-mutex.ts';

/** Work that records when it begins, and ends when told to. */
function controlled(log: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async () => {
    log.push(name);
    await promise;
    return name;
  };
  return { work, end: resolve };
}

/** Lets all pending promises run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

test('KeyedMutex runs work under one key one after another, and under other keys at once', async () => {
  const [mutex, log] = [new KeyedMutex(), [] as string[]];
  const [first, second, other] = [controlled(log, 'first'), controlled(log, 'second'), controlled(log, 'other')];
  const all = [mutex.run('a', first.work), mutex.run('a', second.work), mutex.run('b', other.work)];
  await settle();
  assert.deepEqual(log, ['first', 'other']);
  first.end();
  await settle();
  assert.deepEqual(log, ['first', 'other', 'second']);
  second.end();
  other.end();
  assert.deepEqual(await Promise.all(all), ['first', 'second', 'other']);
});

test('KeyedMutex runs the next work when the one before fails', async () => {
  const mutex = new KeyedMutex();
  const failed = mutex.run('a', () => Promise.reject(new Error('broken')));
  const next = mutex.run('a', async () => 'next');
  await assert.rejects(failed, /broken/);
  assert.equal(await next, 'next');
});

test('KeyedMutex lets running work ask whether other work waits for its key', async () => {
  const mutex = new KeyedMutex();
  const asked: boolean[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = mutex.run('a', async (lock) => {
    asked.push(lock.isAwaited());
    await promise;
    asked.push(lock.isAwaited());
  });
  await settle();
  const second = mutex.run('a', async (lock) => {
    asked.push(lock.isAwaited());
  });
  resolve();
  await Promise.all([first, second]);
  assert.deepEqual(asked, [false, true, false]);
});

test('KeyedMutex throws the error of the limit, and lets nothing overtake the work in front', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [mutex, log] = [new KeyedMutex(), [] as string[]];
  const [first, last] = [controlled(log, 'first'), controlled(log, 'last')];
  const held = mutex.run('a', first.work);
  const tooLate = assert.rejects(
    mutex.run('a', async () => log.push('late'), { ms: 100, error: () => new Error('busy') }),
    /busy/,
  );
  const behind = mutex.run('a', last.work);
  t.mock.timers.tick(100);
  await tooLate;
  await settle();
  assert.deepEqual(log, ['first']);
  first.end();
  last.end();
  assert.deepEqual([await held, await behind, log], ['first', 'last', ['first', 'last']]);
});
