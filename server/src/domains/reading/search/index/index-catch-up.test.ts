import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import type { SearchDeps } from '../search.ts';
import type { IndexState } from '../worker/worker-api.ts';
import { IndexCatchUp } from './index-catch-up.ts';

const vault = { id: 'vault', feedEpoch: 1, key: { share: () => ({}) } } as unknown as OpenVault;

/** A vault with a note at each seq up to `changeSeq`, and an index that takes a page in order when it is let. */
function largeVault(changes: number, changeSeq: number) {
  const feed = { changeSeq, floorSeq: 0 };
  const index = { seq: 0, floor: 0, notes: 0, unreadable: 0, unstored: 0, bytes: 0 };
  const added: { readonly first: number; readonly last: number; readonly upTo: number }[] = [];
  let allowed = Promise.withResolvers<void>();
  const worker = {
    async request(method: string, params: { readonly notes: readonly { seq: number }[]; readonly upTo: number }) {
      if (method === 'addNotes') {
        const { notes, upTo } = params;
        if (upTo > 0) await allowed.promise;
        added.push({ first: notes[0]?.seq ?? 0, last: notes.at(-1)?.seq ?? 0, upTo });
        index.seq = Math.max(index.seq, upTo);
      }
      return { ...index };
    },
  };
  const deps = {
    worker,
    db: { read: (work: (handle: object) => unknown) => work({}) },
    vaults: { feed: async () => feed },
    notes: {
      async sealedAfter(_handle: object, _vault: object, seq: number, { limit }: { limit: number }) {
        const end = Math.min(seq + limit, feed.changeSeq);
        const notes = Array.from({ length: end - seq }, (_, at) => ({
          seq: seq + at + 1,
          meta: Buffer.alloc(1),
          content: null,
        }));
        return { notes, more: end < feed.changeSeq };
      },
    },
  };
  return {
    feed,
    added,
    catchUp: new IndexCatchUp(deps as unknown as SearchDeps, changes),
    allowPage() {
      allowed.resolve();
      allowed = Promise.withResolvers();
    },
    allowAll: () => allowed.resolve(),
  };
}

test('catchUpOrPartial of a vault far behind adds the newest changes first while the index completes', async () => {
  const { catchUp, added, feed, allowPage, allowAll } = largeVault(100, 1000);
  const completed = Promise.withResolvers<IndexState>();
  const first = catchUp.catchUpOrPartial(vault, completed.resolve);
  assert.equal(await first, null);
  assert.deepEqual(added, [
    { first: 901, last: 964, upTo: 0 },
    { first: 965, last: 1000, upTo: 0 },
  ]);
  feed.changeSeq = 1002;
  const second = catchUp.catchUpOrPartial(vault, () => assert.fail('the catch-up is shared'));
  await nextTurn();
  allowPage();
  assert.equal(await second, null);
  assert.deepEqual(added.slice(2), [
    { first: 1, last: 64, upTo: 64 },
    { first: 1001, last: 1002, upTo: 0 },
  ]);
  allowAll();
  assert.equal((await completed.promise).seq, 1002);
});

test('catchUpOrPartial of a vault that is a little behind resolves to the complete index', async () => {
  const { catchUp, added, allowAll } = largeVault(100, 90);
  const states: IndexState[] = [];
  const found = catchUp.catchUpOrPartial(vault, (state) => states.push(state));
  await nextTurn();
  allowAll();
  assert.equal((await found)?.seq, 90);
  assert.deepEqual(states, [await found]);
  assert.equal(added.length, 2);
});
