import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedLock } from './keyed-lock.ts';

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

test('KeyedLock runs work under one key one after another, and under other keys at once', async () => {
  const [lock, log] = [new KeyedLock(), [] as string[]];
  const [first, second, other] = [controlled(log, 'first'), controlled(log, 'second'), controlled(log, 'other')];
  const all = [
    lock.run('group', 'a', first.work),
    lock.run('group', 'a', second.work),
    lock.run('group', 'b', other.work),
  ];
  await settle();
  assert.deepEqual(log, ['first', 'other']);
  first.end();
  await settle();
  assert.deepEqual(log, ['first', 'other', 'second']);
  second.end();
  other.end();
  assert.deepEqual(await Promise.all(all), ['first', 'second', 'other']);
});

test('KeyedLock runs the next work when the one before fails', async () => {
  const lock = new KeyedLock();
  const failed = lock.run('group', 'a', () => Promise.reject(new Error('broken')));
  const next = lock.run('group', 'a', async () => 'next');
  await assert.rejects(failed, /broken/);
  assert.equal(await next, 'next');
});

test('KeyedLock lets exclusive work ask whether other work waits for the group', async () => {
  const lock = new KeyedLock();
  const asked: boolean[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = lock.runExclusive('group', async (locked) => {
    asked.push(locked.isAwaited());
    await promise;
    asked.push(locked.isAwaited());
  });
  await settle();
  const second = lock.runExclusive('group', async (locked) => {
    asked.push(locked.isAwaited());
  });
  resolve();
  await Promise.all([first, second]);
  assert.deepEqual(asked, [false, true, false]);
});

test('KeyedLock runs exclusive work alone in its group, between what was called before and after it', async () => {
  const [lock, log] = [new KeyedLock(), [] as string[]];
  const [first, alone, last, other] = ['first', 'alone', 'last', 'other'].map((name) => controlled(log, name));
  assert.ok(first && alone && last && other);
  const all = [
    lock.runAll('group', ['a', 'b'], first.work),
    lock.runExclusive('group', alone.work),
    lock.run('group', 'c', last.work),
    lock.runExclusive('another', other.work),
  ];
  await settle();
  assert.deepEqual(log, ['first', 'other']);
  first.end();
  await settle();
  assert.deepEqual(log, ['first', 'other', 'alone']);
  for (const { end } of [alone, last, other]) end();
  await Promise.all(all);
  assert.deepEqual(log, ['first', 'other', 'alone', 'last']);
});

test('KeyedLock throws the error of the limit, and lets nothing overtake the work in front', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [lock, log] = [new KeyedLock(), [] as string[]];
  const [first, last] = [controlled(log, 'first'), controlled(log, 'last')];
  const held = lock.run('group', 'a', first.work);
  const tooLate = assert.rejects(
    lock.run('group', 'a', async () => log.push('late'), { ms: 100, error: () => new Error('busy') }),
    /busy/,
  );
  const behind = lock.run('group', 'a', last.work);
  t.mock.timers.tick(100);
  await tooLate;
  await settle();
  assert.deepEqual(log, ['first']);
  first.end();
  last.end();
  assert.deepEqual([await held, await behind, log], ['first', 'last', ['first', 'last']]);
});
