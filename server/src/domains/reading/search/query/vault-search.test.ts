import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import type { VectorDemand } from '../embedding/vector-demand.ts';
import type { IndexCatchUp } from '../index/index-catch-up.ts';
import type { IndexPersistence } from '../index/index-persistence.ts';
import type { SearchDeps } from '../search.ts';
import { checkRequest } from './search-request.ts';
import { VaultSearch } from './vault-search.ts';

const vault = { id: 'vault', feedEpoch: 1, key: { share: () => ({}) } } as unknown as OpenVault;
const hit = { id: 'a', seq: 5000, path: 'a.md', title: 'a', heading: '', start: 0, end: 0, matches: 1, score: 1 };

/** A vault of 4,000 notes with 1,500 in the index; `moved` was written after it was indexed. */
function searched(catchUpOrPartial: () => Promise<object | null>, moved: boolean) {
  const asked: number[] = [];
  const deps = {
    db: { read: (work: (handle: object) => unknown) => work({}) },
    embedder: { onDemand: true },
    vaults: { feed: async () => ({ changeSeq: 5000, floorSeq: 0, noteCount: 4000 }) },
    notes: {
      live: { flush: async () => undefined },
      sealedOf: async () => [{ id: 'a', seq: moved ? 5001 : 5000, version: 1, content: null }],
    },
    worker: {
      async request(method: string, { seq }: { readonly seq: number }) {
        if (method === 'indexState') return { notes: 1500 };
        if (method === 'snippets') return [];
        asked.push(seq);
        return seq === 0 ? { hits: [hit], words: [], hasMore: false, relaxed: [] } : null;
      },
    },
  };
  const search = new VaultSearch(
    deps as unknown as SearchDeps,
    { catchUpOrPartial } as unknown as IndexCatchUp,
    {} as IndexPersistence,
    {} as VectorDemand,
  );
  const request = { ...checkRequest({ query: 'a' }), returned: new Set<string>() };
  return { asked, find: () => search.find(vault, request) };
}

test('a search of a vault that is far behind searches what is in the index, and says how much that is', async () => {
  const { find, asked } = searched(async () => null, false);
  const { results, partial } = await find();
  assert.deepEqual([results.map(({ path }) => path), partial], [['a.md'], { indexed: 1500, total: 4000 }]);
  assert.deepEqual(asked, [5000, 0]);
});

test('a search of an unfinished index leaves out notes that were written since, without another attempt', async () => {
  const { find, asked } = searched(async () => null, true);
  const { results, partial } = await find();
  assert.deepEqual([results, partial], [[], { indexed: 1500, total: 4000 }]);
  assert.deepEqual(asked, [5000, 0]);
});
