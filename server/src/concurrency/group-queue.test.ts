import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { GroupQueue } from './group-queue.ts';
import { currentTenant, runForTenant } from './tenant.ts';

const fulfilled = (value: string) => ({ status: 'fulfilled', value }) as const;

/** A queue of groups of at most `most`, each carried out when the test ends it. */
function queueOf(most: number) {
  const groups: {
    readonly items: readonly string[];
    end(outcomes?: readonly PromiseSettledResult<string>[]): void;
    fail(): void;
  }[] = [];
  const queue = new GroupQueue<string, string, string>(
    () => [1],
    [most],
    (items) => {
      const tenant = currentTenant();
      const { promise, resolve, reject } = Promise.withResolvers<readonly PromiseSettledResult<string>[]>();
      const end = (outcomes = items.map((item) => fulfilled(`${item} of ${tenant}`))) => resolve(outcomes);
      groups.push({ items, end, fail: () => reject(new Error('the group failed')) });
      return promise;
    },
  );
  const add = (item: string, key = 'key') => runForTenant(`tenant of ${item}`, () => queue.add(key, item));
  /** Ends the newest group, and lets the next begin. */
  const endGroup = async (...outcomes: Parameters<(typeof groups)[number]['end']>) => {
    groups.at(-1)?.end(...outcomes);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, groups, add, endGroup, items: () => groups.map(({ items }) => items.join('')) };
}

suite('group queue', () => {
  test('an item that arrives alone is carried out at once, and those that arrive meanwhile in bounded groups', async () => {
    const { add, endGroup, items } = queueOf(3);
    const added = [...'abcdef'].map((item) => add(item));
    assert.deepEqual(items(), ['a']);
    await endGroup();
    assert.deepEqual(items(), ['a', 'bcd']);
    await endGroup();
    assert.deepEqual(items(), ['a', 'bcd', 'ef']);
    await endGroup();
    assert.equal(await added[5], 'f of tenant of e', 'a group runs on behalf of its first caller');
    add('g');
    assert.deepEqual(items(), ['a', 'bcd', 'ef', 'g']);
    await endGroup();
  });

  test('items under different keys do not wait for each other', async () => {
    const { add, groups, items } = queueOf(3);
    const both = [add('a'), add('b', 'other')];
    assert.deepEqual(items(), ['a', 'b']);
    for (const { end } of groups) end();
    await Promise.all(both);
  });

  test('each item has its own outcome; a group that fails does not stop the next', async () => {
    const { add, endGroup, groups, items } = queueOf(2);
    const added = [...'abcde'].map((item) => add(item));
    const settled = Promise.allSettled(added);
    await endGroup();
    await endGroup([fulfilled('well'), { status: 'rejected', reason: new Error('ill') }]);
    groups.at(-1)?.fail();
    const [, b, c, d, e] = await settled;
    assert.deepEqual(items(), ['a', 'bc', 'de']);
    assert.deepEqual(b, { status: 'fulfilled', value: 'well' });
    assert.deepEqual(
      [c, d, e].map((each) => (each as PromiseRejectedResult).reason.message),
      ['ill', 'the group failed', 'the group failed'],
    );
  });

  test('an item whose client hangs up while it waits is not carried out, and one that leads a group goes on', async () => {
    const { queue, endGroup, items } = queueOf(3);
    const clients = [...'abcd'].map((item) => {
      const client = new AbortController();
      const answer = runForTenant(
        item,
        () => queue.add('key', item),
        () => client.signal,
      );
      return { client, answer: answer.catch((error: { code: string }) => error.code) };
    });
    clients[0]?.client.abort();
    clients[1]?.client.abort();
    await endGroup();
    assert.deepEqual(items(), ['a', 'cd']);
    clients[2]?.client.abort();
    await endGroup();
    assert.deepEqual(await Promise.all(clients.map(({ answer }) => answer)), [
      'a of a',
      'unavailable',
      'c of c',
      'd of c',
    ]);
  });
});
