import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite, rawOf } from '../../../../../test/kit/engines.ts';
import { startServer } from '../../../../../test/kit/server.ts';

onSqlite('stored attempts', (open) => {
  test('are at most 100,000 rows, of which those with the most attempts stay, and go with their period', async () => {
    await using server = await startServer({ open });
    const { anyone, app, clock, db } = server;
    for (let nth = 0; nth < 3; nth++)
      await anyone.post('/auth/login', { email: 'nobody@example.org', password: 'wrong' });
    await using raw = await rawOf(db);
    const [kept] = await raw.all('select subject from sign_in_attempts');
    const now = clock.now();
    await raw.run(
      `insert into sign_in_attempts with recursive n(i) as (select 1 union all select i + 1 from n where i < 100050)
       select cast(i as blob), 1, $1, $1, $2 from n`,
      now,
      now + 1000,
    );
    const count = async () => (await raw.all('select count(*) as rows from sign_in_attempts'))[0]?.rows;
    await app.accounts.sweepSignIns();
    assert.equal(await count(), 100_000);
    assert.deepEqual(await raw.all('select subject from sign_in_attempts where count = 3'), [kept]);
    clock.advance({ ms: 1000 });
    await app.accounts.sweepSignIns();
    assert.equal(await count(), 1);
    clock.advance({ days: 1 });
    await app.accounts.sweepSignIns();
    assert.equal(await count(), 0);
  });
});
