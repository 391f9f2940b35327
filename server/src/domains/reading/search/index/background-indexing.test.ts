import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { SearchDeps } from '../search.ts';
import { BackgroundIndexing } from './background-indexing.ts';
import type { IndexCatchUp } from './index-catch-up.ts';
import type { IndexPersistence } from './index-persistence.ts';

const vaultAt = (at: number) => `00000000-0000-7000-8000-${String(at).padStart(12, '0')}` as VaultId;

/** Vaults that are all far behind; indexing the `broken` ones fails. */
function indexing(count: number, broken: ReadonlySet<string>) {
  let now = 1_000_000;
  const behind = new Set(Array.from({ length: count }, (_, at) => vaultAt(at)));
  const tried: string[] = [];
  const deps = {
    clock: { elapsed: () => now },
    rest: async () => undefined,
    reportError: () => undefined,
    vaults: { openAsSystem: async (id: VaultId) => ({ id }) },
    db: {
      all: async (_: unknown, { after, limit }: { after: string; limit: number }) =>
        [...behind]
          .filter((id) => id > after)
          .slice(0, limit)
          .map((id) => ({ vault_id: id, change_seq: 5000 })),
    },
  };
  const catchUp = {
    catchUpInBackground: async ({ id }: { id: VaultId }) => {
      tried.push(id);
      if (broken.has(id)) throw new Error('broken');
      behind.delete(id);
    },
  };
  const background = new BackgroundIndexing(
    deps as unknown as SearchDeps,
    catchUp as unknown as IndexCatchUp,
    { store: async () => undefined } as unknown as IndexPersistence,
  );
  return {
    behind,
    tried,
    /** Runs the job every second for some time. */
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        now += 1000;
        await background.run(new AbortController().signal);
      }
    },
  };
}

test('background indexing reaches the vaults behind many that cannot be indexed', async () => {
  const broken = new Set(Array.from({ length: 40 }, (_, at) => vaultAt(at)));
  const { behind, pass } = indexing(50, broken);
  await pass(120);
  assert.deepEqual([...behind], [...broken]);
});

test('background indexing retries a failing vault less and less often', async () => {
  const { tried, pass } = indexing(1, new Set([vaultAt(0)]));
  await pass(3600);
  assert.ok(tried.length >= 3 && tried.length <= 8, `${tried.length} tries in an hour`);
});
