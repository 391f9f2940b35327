/** Rate limits of requests and of password attempts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinPlans } from '../../../src/domains/foundation/plans/plans.ts';
import { onEachEngine } from '../../kit/engines.ts';
import type { Answer, Caller } from '../../kit/person.ts';
import { startServer, type TestServer } from '../../kit/server.ts';

const LIMITED = { error: 'rate_limited' };
const five = { ...builtinPlans.self_hosted, requests_per_minute: 5 };
const none = { ...builtinPlans.self_hosted, requests_per_minute: 0 };
const plans = { ...builtinPlans, five, none };

async function statuses(times: number, ask: () => Promise<Answer>): Promise<number[]> {
  const answers: number[] = [];
  for (let n = 0; n < times; n++) answers.push((await ask()).status);
  return answers;
}

onEachEngine('requests_per_minute', (open) => {
  test('counts a user’s requests over all credentials, and no other user’s', async () => {
    await using server = await startServer({ open, config: { plans, defaultPlan: 'five' } });
    const { alice, bob, clock } = server;
    const key = server.bearer((await alice.post('/api-keys', { name: 'K' })).body.key);
    assert.deepEqual(await statuses(2, () => key.get('/notes/changes')), [410, 410]);
    assert.deepEqual(await statuses(3, () => alice.get('/connections')), [200, 200, 429]);
    clock.advance({ seconds: 20 });
    for (const who of [alice, key]) {
      const { status, body, headers } = await who.get('/notes/changes');
      assert.deepEqual([status, body, headers.get('retry-after')], [429, LIMITED, '40']);
    }
    assert.equal((await bob.get('/connections')).status, 200);
    clock.advance({ seconds: 40 });
    assert.deepEqual(await statuses(6, () => key.get('/notes/changes')), [410, 410, 410, 410, 410, 429]);
  });

  test('counts refused requests too, and a change of plan applies from the next request on', async () => {
    await using server = await startServer({ open, config: { plans, defaultPlan: 'five' } });
    const { alice } = server;
    assert.deepEqual(await statuses(6, () => alice.get('/vaults/x')), [404, 404, 404, 404, 404, 429]);
    await server.app.accounts.setPlan(alice.email, 'self_hosted');
    assert.equal((await alice.get('/vaults/x')).status, 404);
  });

  test('requests_per_minute of zero still allows a new account to be set up, but not without limit', async () => {
    await using server = await startServer({ open, config: { plans, defaultPlan: 'none' } });
    const { alice } = server;
    assert.equal((await alice.get('/me')).status, 200);
    assert.equal((await alice.post('/vaults', { name: 'First' })).status, 201);
    assert.equal((await alice.get('/folders')).status, 429);
    const rest = await statuses(59, () => alice.get('/vaults'));
    assert.deepEqual([rest.filter((status) => status === 200).length, rest.at(-1)], [58, 429]);
  });
});

const login = (who: Caller, email: string, password: string, from?: string) =>
  who.post('/auth/login', { email, password }, from === undefined ? {} : { 'x-forwarded-for': from });

/** A server that trusts the client addresses that the test sends. */
const behindProxy = (open: Parameters<typeof startServer>[0]['open']): Promise<TestServer> =>
  startServer({ open, config: { trustProxy: ['127.0.0.1'] } });

onEachEngine('password attempts', (open) => {
  test('are throttled for one account from any address, whether or not the account exists', async () => {
    await using server = await behindProxy(open);
    const { alice, anyone, clock } = server;
    await alice.signed();
    const guess = async (email: string) => {
      const answers: [number, unknown, string | null][] = [];
      for (let n = 0; n < 12; n++) {
        const { status, body, headers } = await login(anyone, email, 'wrong', `192.0.2.${n}`);
        answers.push([status, body, headers.get('retry-after')]);
      }
      return answers;
    };
    const wrong = [401, { error: 'invalid_credentials' }, null];
    const limited = [429, LIMITED, '1'];
    const expected = [...Array.from({ length: 10 }, () => wrong), limited, limited];
    assert.deepEqual(await guess(alice.email), expected);
    assert.deepEqual(await guess('nobody@example.org'), expected);
    // The right password is refused too; otherwise the refusal would reveal a wrong guess.
    assert.equal((await login(anyone, alice.email, alice.password, '192.0.2.99')).status, 429);
    clock.advance({ seconds: 1 });
    assert.equal((await login(anyone, alice.email, alice.password, '192.0.2.99')).status, 200);
  });

  test('waits between wrong passwords grow to 30 s, and to two minutes beyond a hundred a day', async () => {
    await using server = await behindProxy(open);
    const { alice, anyone, clock } = server;
    await alice.signed();
    const waits: number[] = [];
    for (let nth = 0; nth < 102; nth++) {
      const { status } = await login(anyone, alice.email, 'wrong', '192.0.2.1');
      assert.equal(status, 401);
      if (nth < 9 || (nth > 17 && nth < 98)) {
        if (nth > 17) clock.advance({ seconds: 30 });
        continue;
      }
      const retry = Number((await login(anyone, alice.email, 'wrong', '192.0.2.1')).headers.get('retry-after'));
      waits.push(retry);
      clock.advance({ seconds: retry });
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 120, 120, 120]);
    clock.advance({ days: 1 });
    for (let nth = 0; nth < 10; nth++) {
      assert.equal((await login(anyone, alice.email, 'wrong', '192.0.2.1')).status, 401);
    }
  });

  test('are counted over two processes, and shut nobody out of a network that they know', async () => {
    await using server = await behindProxy(open);
    const { alice, anyone, clock, db, masterKey } = server;
    const config = { trustProxy: ['127.0.0.1'] };
    await using second = await startServer({ open: async () => db, clock, masterKey, config });
    await alice.signed();
    const known = '198.51.100.7';
    assert.equal((await login(anyone, alice.email, alice.password, known)).status, 200);
    await alice.delete('/me/sessions');
    clock.advance({ days: 89 });
    const from = [anyone, second.anyone];
    const guesses = await Promise.all(
      Array.from({ length: 60 }, (_, n) => login(from[n % 2] as Caller, alice.email, 'wrong', `192.0.2.${n}`)),
    );
    assert.equal(guesses.filter(({ status }) => status === 401).length, 10);
    for (const process of from) {
      assert.equal((await login(process, alice.email, alice.password, '192.0.2.200')).status, 429);
      assert.equal((await login(process, alice.email, alice.password, known)).status, 200, 'its sessions have ended');
    }
  });

  test('do not lock out a user who is signed in', async () => {
    await using server = await behindProxy(open);
    const { alice, anyone } = server;
    await alice.signed();
    assert.equal((await login(anyone, alice.email, alice.password, '2001:db8:1:2::7')).status, 200);
    await statuses(11, () => login(anyone, alice.email, 'wrong', '192.0.2.1'));
    assert.equal((await login(anyone, alice.email, alice.password, '192.0.2.2')).status, 429);
    // Another address of the same network, as phones and privacy extensions use it.
    assert.equal((await login(anyone, alice.email, alice.password, '2001:db8:1:2:a::b')).status, 200);
    assert.equal((await login(anyone, alice.email, alice.password, '2001:db8:1:3::7')).status, 429);
  });

  test('are throttled when many are made at once', async () => {
    await using server = await behindProxy(open);
    const { alice, anyone } = server;
    await alice.signed();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => login(anyone, alice.email, 'wrong', `192.0.2.${n}`)),
    );
    assert.deepEqual(
      [401, 429].map((wanted) => answers.filter(({ status }) => status === wanted).length),
      [10, 20],
    );
  });

  test('are throttled with a stolen session too', async () => {
    await using server = await startServer({ open });
    const { alice, bob } = server;
    await alice.signed();
    const tries = await statuses(6, () => bob.delete('/me', { password: 'wrong' }));
    const changes = await statuses(5, () =>
      bob.post('/auth/password/change', { old_password: 'wrong', new_password: 'long enough' }),
    );
    assert.deepEqual([...tries, ...changes], [...Array(6).fill(403), ...Array(4).fill(422), 429]);
  });
});
