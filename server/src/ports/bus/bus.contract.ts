import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bus, HINT_BYTES_MAX } from './bus.ts';

/** The contract suite of the bus. `open` returns buses of the same hub, as several processes have them. */
export function busContract(open: () => Promise<Bus>): void {
  /** Resolves to the hints received up to the last one published; they arrive in order. */
  async function heard(from: Bus, by: Bus, publish: () => void): Promise<string[]> {
    const got: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    using _topic = by.subscribe('topic', (payload) => got.push(payload));
    using _end = by.subscribe('end', () => resolve());
    publish();
    from.publish('end', '');
    await promise;
    return got;
  }

  test('a hint reaches every other process, in the order of publishing', async () => {
    await using one = await open();
    await using two = await open();
    await using three = await open();
    const publish = () => {
      for (const payload of ['a', 'b', 'c']) one.publish('topic', payload);
    };
    const [second, third] = await Promise.all([heard(one, two, publish), heard(one, three, () => undefined)]);
    assert.deepEqual(
      [second, third],
      [
        ['a', 'b', 'c'],
        ['a', 'b', 'c'],
      ],
    );
  });

  test('a hint does not come back to its own process', async () => {
    await using one = await open();
    await using two = await open();
    const own: string[] = [];
    using _own = one.subscribe('topic', (payload) => own.push(payload));
    assert.deepEqual(await heard(one, two, () => one.publish('topic', 'x')), ['x']);
    assert.deepEqual(await heard(two, one, () => undefined), []);
    assert.deepEqual(own, []);
  });

  test('thousands of hints at once arrive, with quotes, line ends and letters of any script', async () => {
    await using one = await open();
    await using two = await open();
    const sent = Array.from({ length: 3000 }, (_, index) => `${index} "ж"\n\\ 日本 '`);
    const got = await heard(one, two, () => {
      for (const payload of sent) one.publish('topic', payload);
    });
    assert.deepEqual(got, sent);
  });

  test('a hint that is too large is dropped, and the next one arrives', async () => {
    await using one = await open();
    await using two = await open();
    const got = await heard(one, two, () => {
      one.publish('topic', 'x'.repeat(HINT_BYTES_MAX));
      one.publish('topic', 'y'.repeat(HINT_BYTES_MAX - 'topic'.length));
    });
    assert.deepEqual(
      got.map((payload) => payload.slice(0, 1)),
      ['y'],
    );
  });

  test('a disposed subscription receives no more hints', async () => {
    await using one = await open();
    await using two = await open();
    const got: string[] = [];
    two.subscribe('topic', (payload) => got.push(payload))[Symbol.dispose]();
    await heard(one, two, () => one.publish('topic', 'x'));
    assert.deepEqual(got, []);
  });
}
