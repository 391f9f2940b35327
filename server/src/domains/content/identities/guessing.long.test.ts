import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { startServer } from '../../../../test/kit/server.ts';
import { setUpTotp } from '../../../../test/kit/totp.ts';

const GUESSES = 10_000;
const HOME = '192.0.2.7';
const HOURS = (GUESSES * 5) / 3600;

onEachEngine('10,000 guesses of each kind in fourteen hours, from many addresses, on two processes', (open) => {
  test('wrong passwords and codes neither get in nor shut the owner out of a known network', async (t) => {
    const config = { trustProxy: ['127.0.0.1'] };
    await using first = await startServer({ open, config });
    const { db, blobs, clock, masterKey, alice } = first;
    await using second = await startServer({ open: async () => db, blobs, clock, masterKey, config });
    await alice.signed();
    const app = await setUpTotp(alice, clock);
    const { email, password } = alice;
    const serverOf = (guess: number) => (guess % 2 === 0 ? first : second).anyone;
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const logIn = (guess: number, secret: string, address: string) =>
      serverOf(guess).post('/auth/login', { email, password: secret }, from(address));
    const prove = (guess: number, ticket: string, code: string, address: string) =>
      serverOf(guess).post('/auth/second-factor', { ticket, code }, from(address));
    const enter = async () => {
      const { ticket } = (await logIn(0, password, HOME)).body;
      assert.equal((await prove(1, ticket, app.next(), HOME)).status, 200);
    };
    await enter();

    const checked = { passwords: 0, codes: 0 };
    for (let guess = 0; guess < GUESSES; guess++) {
      clock.advance({ seconds: 5 });
      const address = `198.51.${(guess >> 8) & 255}.${guess & 255}`;
      const wrong = await logIn(guess, `wrong ${guess}`, address);
      assert.ok([401, 429].includes(wrong.status), `${wrong.status}`);
      if (wrong.status === 401) checked.passwords += 1;
      // Somebody who knows the password gets a ticket where attempts at it are not used up.
      const { ticket = 'none' } = (await logIn(guess, password, HOME)).body;
      const refused = await prove(guess + 1, ticket, app.wrong(), address);
      assert.ok([403, 429].includes(refused.status), `${refused.status}`);
      if (refused.status === 403) checked.codes += 1;
      if (guess % 1000 === 0) await enter();
    }
    await enter();
    t.diagnostic(`checked: ${checked.passwords} passwords and ${checked.codes} codes of ${GUESSES} each`);
    // A hundred passwords in the first hour, then one in two minutes.
    assert.ok(checked.passwords > 400 && checked.passwords < 520, `${checked.passwords} passwords were checked`);
    assert.ok(checked.codes <= 10 * Math.ceil(HOURS + 1), `${checked.codes} codes were checked, of ten an hour`);
  });
});
