import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../../test/kit/until.ts';
import { runForTenant } from '../../../../concurrency/tenant.ts';
import { systemClock } from '../../../../ports/clock/clock.ts';
import type { Embedder } from '../../../../ports/embedder/embedder.ts';
import { QueryEmbedder } from './query-vector.ts';

/** An embedder whose queries succeed or fail one by one when the test says so. */
function heldEmbedder(timeoutMs?: number) {
  const calls: { readonly query: string; readonly finish: () => void; readonly fail: () => void }[] = [];
  const embedder: Embedder = {
    onDemand: false,
    name: 'held',
    space: async () => ({ id: 'held', dimensions: 1, maxTokens: 1, noise: 0, trust: 1 }),
    embedPassages: async () => [],
    embedQuery(query) {
      const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
      calls.push({ query, finish: () => resolve(Float32Array.of(1)), fail: () => reject(new Error('away')) });
      return promise;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  const reported: unknown[] = [];
  const deps = { clock: systemClock(), embedder, reportError: (error: unknown) => reported.push(error) };
  const queries = new QueryEmbedder(deps, timeoutMs);
  const ask = (tenant: string, query: string) => runForTenant(tenant, () => queries.embed(query, async () => []));
  return { calls, reported, ask };
}

test('QueryEmbedder delays the queries of one account by at most one of another', async () => {
  const { calls, ask } = heldEmbedder();
  const many = Array.from({ length: 20 }, (_, at) => ask('alice', `alice ${at}`));
  const one = ask('bob', 'bob');
  const vectors = Promise.all([...many, one]);
  await turns(3);
  assert.deepEqual(
    calls.map(({ query }) => query),
    ['alice 0', 'bob'],
  );
  for (let done = 0; done < calls.length; done++) {
    calls[done]?.finish();
    await turns(3);
  }
  assert.ok((await vectors).every((vector) => vector !== null));
});

test('QueryEmbedder returns no vectors to an account with too many queries, without affecting others', async () => {
  const { calls, reported, ask } = heldEmbedder();
  const many = Array.from({ length: 100 }, (_, at) => ask('alice', `alice ${at}`));
  const refused = await Promise.all(many.slice(65));
  assert.deepEqual(new Set(refused), new Set([null]));
  const one = ask('bob', 'bob');
  await turns(3);
  calls.find(({ query }) => query === 'bob')?.finish();
  assert.notEqual(await one, null);
  assert.deepEqual(reported, [], 'it is no failure of the embedder, after which all would go without');
  for (let done = 0; done < calls.length; done++) {
    calls[done]?.finish();
    await turns(3);
  }
  await Promise.all(many);
});

test('QueryEmbedder returns no vector to a query that waits too long, without affecting others', async () => {
  const { calls, reported, ask } = heldEmbedder(50);
  const first = ask('alice', 'first');
  assert.equal(await ask('alice', 'second'), null);
  const one = ask('bob', 'bob');
  await turns(3);
  for (const { finish } of calls) finish();
  assert.deepEqual([(await first)?.[0], (await one)?.[0]], [1, 1]);
  assert.deepEqual(reported, []);
});

test('QueryEmbedder makes no query wait for a while after a failure of the embedder', async () => {
  const { calls, reported, ask } = heldEmbedder();
  const failed = ask('alice', 'first');
  await turns(3);
  calls[0]?.fail();
  assert.equal(await failed, null);
  assert.equal(await ask('bob', 'bob'), null);
  assert.deepEqual([calls.length, reported.length], [1, 1]);
});
