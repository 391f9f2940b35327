import { it } from 'node:test';
import { onSqlite } from '../../kit/engines.ts';
import { outboxRun } from '../../kit/outbox-run.ts';
import { Random } from '../../kit/random.ts';
import { startServer } from '../../kit/server.ts';

const SEEDS = 300;

onSqlite('the outbox of the web app', (open) => {
  it('loses and doubles nothing, in 300 runs', async () => {
    await using server = await startServer({ open });
    const key = (await server.alice.post('/api-keys', { name: 'outbox' })).body.key as string;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { vault } = (await server.alice.post('/vaults', { name: `Seed ${seed}` })).body;
      try {
        await outboxRun({ url: server.url, key, vaultId: vault.id }, new Random(seed), seed % 2 === 0);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
  });
});
