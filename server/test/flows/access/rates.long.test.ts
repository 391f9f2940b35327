/** Wrong passwords from many networks, on two processes over one database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../kit/engines.ts';
import { codeOf } from '../../kit/fixtures.ts';
import { startServer } from '../../kit/server.ts';

const ATTEMPTS = 10_000;
const KNOWN = { address: '198.51.100.7', userAgent: null };

onEachEngine('10,000 wrong passwords', (open) => {
  test('10,000 wrong passwords get nowhere, and never shut the owner out of a known network', async () => {
    await using server = await startServer({ open });
    const { alice, clock, db, masterKey } = server;
    await using second = await startServer({ open: async () => db, clock, masterKey });
    await alice.signed();
    const account = { email: alice.email, password: alice.password };
    await server.app.accounts.login(account, KNOWN);
    const processes = [server.app.accounts, second.app.accounts] as const;
    let tried = 0;
    for (let nth = 0; nth < ATTEMPTS; nth++) {
      clock.advance({ seconds: 5 });
      const accounts = processes[(nth % 2) as 0 | 1];
      const from = { address: `192.0.${(nth >> 8) % 256}.${nth % 256}`, userAgent: null };
      const code = await codeOf(accounts.login({ ...account, password: 'a wrong one' }, from));
      if (code === 'invalid_credentials') tried += 1;
      else assert.equal(code, 'rate_limited');
      if (nth % 1000 === 999) await accounts.login(account, KNOWN);
    }
    // In fourteen hours: a hundred in the first hour, then one in two minutes.
    assert.ok(tried > 400 && tried < 520, `${tried} passwords were tried`);
  });
});
