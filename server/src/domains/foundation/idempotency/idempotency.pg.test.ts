import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { codeOf, openFixtures, signUp } from '../../../../test/kit/fixtures.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { IdempotencyTables } from './idempotency.tables.ts';
import { Idempotency, type InTransaction, type KeyedRequest, type StoredResponse } from './idempotency.ts';

const { statement } = statementsOver<IdempotencyTables>();
const allAnswers = statement((db, _: Record<never, never>) => db.selectFrom('idempotent_responses').selectAll());
const DONE: StoredResponse = { status: 200, body: { said: 'a secret' } };

async function openIdempotency(open: Parameters<typeof openFixtures>[0], waitMs = 10_000) {
  const fixtures = await openFixtures(open);
  const { userId } = await signUp(fixtures, 'alice');
  const ask: KeyedRequest = { userId, vault: null, route: 'POST /x', key: 'k', request: { a: 1 } };
  const idempotency = new Idempotency({ ...fixtures, waitMs });
  /** Work that consists of one empty transaction. */
  const work = (answer: StoredResponse = DONE) => {
    const done = async (keep: InTransaction<StoredResponse>) => {
      await fixtures.db.transact((handle) => keep(handle, answer));
      return answer;
    };
    return done;
  };
  const never = () => assert.fail('done a second time');
  return { ...fixtures, idempotency, ask, work, never };
}

onEachEngine('Idempotency.once', (open) => {
  test('Idempotency.once leaves the key free when the work fails, even after the answer was handed in', async () => {
    const { db, idempotency, ask, work } = await openIdempotency(open);
    const failure = new Error('the power went');
    const failing = idempotency.once(ask, (keep) =>
      db.transact(async (handle) => {
        await keep(handle, DONE);
        throw failure;
      }),
    );
    await assert.rejects(failing, failure);
    assert.deepEqual(await idempotency.once(ask, work()), { ...DONE, replayed: false });
  });

  test('Idempotency.once refuses a call that waits too long, without blocking those behind it', async () => {
    const { idempotency, ask, work, never } = await openIdempotency(open, 50);
    const gate = Promise.withResolvers<void>();
    const first = idempotency.once(ask, async (keep) => {
      await gate.promise;
      return work()(keep);
    });
    const waiting = [1, 2].map(() => codeOf(idempotency.once(ask, never)));
    assert.deepEqual(await Promise.all(waiting), ['request_in_progress', 'request_in_progress']);
    const other = { ...ask, key: 'other' };
    assert.equal((await idempotency.once(other, work())).replayed, false);
    gate.resolve();
    assert.deepEqual(await first, { ...DONE, replayed: false });
    assert.deepEqual(await idempotency.once(ask, never), { ...DONE, replayed: true });
  });

  test('Idempotency.once gives a waiting call the answer, or runs its work when the first failed', async () => {
    const { idempotency, ask, work, never } = await openIdempotency(open);
    const gate = Promise.withResolvers<void>();
    const first = idempotency.once(ask, async () => {
      await gate.promise;
      throw new Error('no');
    });
    const second = idempotency.once(ask, work());
    const third = idempotency.once(ask, never);
    gate.resolve();
    await assert.rejects(first);
    assert.deepEqual(
      [await second, await third],
      [
        { ...DONE, replayed: false },
        { ...DONE, replayed: true },
      ],
    );
  });

  test('Idempotency.once stores answers sealed for a day, and then removes them', async () => {
    const { db, clock, idempotency, ask, work, never } = await openIdempotency(open);
    for (let at = 0; at < 450; at++) await idempotency.once({ ...ask, key: `${at}` }, work());
    clock.advance({ hours: 12 });
    await idempotency.once(ask, work());
    for (const row of await db.all(allAnswers, {})) {
      const stored = Buffer.concat([row.response, row.key_blind, row.request_mac]);
      assert.ok(!stored.includes('secret') && !stored.includes('said'));
    }
    assert.equal(await idempotency.removeExpired(), 0);
    clock.advance({ hours: 12 });
    assert.equal(await idempotency.removeExpired(), 450);
    assert.equal((await idempotency.once(ask, never)).replayed, true);
    clock.advance({ hours: 12 });
    // Expired, but not yet removed.
    assert.equal((await idempotency.once(ask, work())).replayed, false);
    assert.equal((await db.all(allAnswers, {})).length, 1);
  });

  test('Idempotency.once stores answers that are deleted with their account', async () => {
    const { db, idempotency, ask, work } = await openIdempotency(open);
    await idempotency.once(ask, work());
    await idempotency.purgeUser(ask.userId);
    assert.deepEqual(await db.all(allAnswers, {}), []);
  });
});
