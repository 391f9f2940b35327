import { it } from 'node:test';
import { onEachEngine } from './engines.ts';
import { outboxRun } from './outbox-run.ts';
import { Random } from './random.ts';
import { startServer } from './server.ts';

/** Tests the outbox of the web app against a server in random runs: so many of them on each engine. */
export function testOutbox(
  seeds: { readonly sqlite: readonly number[]; readonly postgres: readonly number[] },
  hasTwo = false,
): void {
  onEachEngine('the outbox of the web app', (open, engine) => {
    const drawn = seeds[engine];
    const used = hasTwo ? 'two tabs' : 'one tab';
    it(`loses and doubles nothing, however lost, late, killed or full, in ${drawn.length} runs of ${used}`, async () => {
      await using server = await startServer({ open });
      const key = (await server.alice.post('/api-keys', { name: 'outbox' })).body.key as string;
      for (const seed of drawn) {
        const { vault } = (await server.alice.post('/vaults', { name: `Seed ${seed}` })).body;
        try {
          await outboxRun({ url: server.url, key, vaultId: vault.id }, new Random(seed), {
            hasOthers: seed % 2 === 0,
            hasTwo,
          });
        } catch (error) {
          throw new Error(`seed ${seed}`, { cause: error });
        }
      }
    });
  });
}

/** The seeds from one on. */
export function seeds(count: number, first = 1): readonly number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}
