import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedPage } from '@notevault/client/change-feed.ts';
import { ApiError } from '@notevault/client/transport.ts';
import type { SyncChange } from '@notevault/protocol/sync.ts';
import { type KeptFile, type KeptStore, type KeptVault, keepVault, NEWLY_KEPT } from './kept-vault.ts';

/** Store of kept vaults in memory. */
class Memory implements KeptStore {
  row: KeptVault | null;
  readonly notes = new Map<string, { content: string; pass: number }>();
  readonly files = new Map<string, KeptFile & { isHere: boolean }>();

  constructor(withFiles = false) {
    this.row = { ...NEWLY_KEPT, vault: 'v', withFiles };
  }

  vaults = async () => (this.row === null ? [] : [this.row]);
  vault = async () => this.row;
  async update(_vault: string, change: Partial<KeptVault>) {
    if (this.row !== null) this.row = { ...this.row, ...change };
  }
  async apply(_vault: string, changes: readonly SyncChange[], cursor: string) {
    if (this.row === null) return false;
    const { pass } = this.row;
    for (const { id, path, type, deleted, content = '', content_hash: hash, size_bytes: size = 0 } of changes) {
      if (type === 'attachment') this.files.set(id, { id, path, hash, size, isHere: false });
      else if (deleted) this.notes.delete(id);
      else this.notes.set(id, { content, pass });
    }
    this.row = { ...this.row, cursor };
    return true;
  }
  async sweep() {
    for (const [id, { pass }] of this.notes) if (pass !== this.row?.pass) this.notes.delete(id);
  }
  missingFiles = async () => [...this.files.values()].filter(({ isHere }) => !isHere).slice(0, 1);
  async putFile(_vault: string, file: KeptFile) {
    this.files.set(file.id, { ...file, isHere: true });
  }
}

const note = (id: string, content: string | null) =>
  ({
    type: 'note',
    id,
    path: `${id}.md`,
    deleted: content === null,
    ...(content === null ? {} : { content }),
  }) as SyncChange;

const file = (id: string, size: number) =>
  ({ type: 'attachment', id, path: id, content_hash: id, size_bytes: size, deleted: false }) as SyncChange;

function pageOf(changes: SyncChange[], resume_cursor: string, has_more = false): FeedPage {
  return { changes, unreadable: [], resume_cursor, has_more, next_cursor: null };
}

/** Keeps a vault for some rounds. `answers` are pages by cursor; a function is called for its page or error. */
async function run(
  store: Memory,
  answers: Readonly<Record<string, FeedPage | null | (() => FeedPage | null)>>,
  { rounds = 1, room = 1_000 } = {},
) {
  const asked: string[] = [];
  const loaded: string[] = [];
  const controller = new AbortController();
  const options = {
    vault: 'v',
    store,
    async changes(cursor: string | null) {
      asked.push(cursor ?? 'start');
      const answer = answers[cursor ?? 'start'];
      assert.notEqual(answer, undefined, `no page at ${cursor}`);
      return typeof answer === 'function' ? answer() : (answer ?? null);
    },
    async file(path: string) {
      loaded.push(path);
      return new Response('');
    },
    room: async () => room,
    stored: async () => undefined,
    changed: () => undefined,
    now: () => 7,
    async wait() {
      if (--rounds === 0) controller.abort();
    },
  };
  await keepVault(options, controller.signal);
  return { asked, loaded };
}

const texts = (store: Memory) => Object.fromEntries([...store.notes].map(([id, { content }]) => [id, content]));

test('a vault is kept page by page, and goes on where the tab was killed', async () => {
  const store = new Memory();
  const pages = {
    start: pageOf([note('a', 'A'), note('b', 'B')], '2', true),
    2: () => {
      throw new TypeError('killed');
    },
  };
  await run(store, pages);
  assert.deepEqual([texts(store), store.row?.cursor, store.row?.currentAt], [{ a: 'A', b: 'B' }, '2', null]);
  const { asked } = await run(
    store,
    { 2: pageOf([note('a', null), note('c', 'C')], '4'), 4: pageOf([], '4') },
    { rounds: 2 },
  );
  assert.deepEqual(asked, ['2', '4']);
  assert.deepEqual([texts(store), store.row?.isComplete, store.row?.currentAt], [{ b: 'B', c: 'C' }, true, 7]);
});

test('a vault whose position is not known any more is read again, and what is gone since goes', async () => {
  const store = new Memory();
  await run(store, { start: pageOf([note('a', 'A'), note('gone', 'G')], '2') });
  await run(store, { 2: null, start: pageOf([note('a', 'A')], '9') });
  assert.deepEqual([texts(store), store.row?.cursor], [{ a: 'A' }, '9']);
});

test('a damaged row does not remove what is kept of it', async () => {
  const store = new Memory();
  await run(store, { start: pageOf([note('a', 'A')], '1') });
  const damaged = { ...pageOf([], '1'), unreadable: [{ id: 'a', seq: 1, type: 'note', unreadable: true }] } as const;
  await run(store, { 1: null, start: damaged });
  assert.deepEqual(texts(store), { a: 'A' });
});

test('files are loaded if they are wanted, and none for which there is no room', async () => {
  const answers = { start: pageOf([file('a', 10), file('b', 2_000)], '2'), 2: pageOf([], '2') };
  const without = new Memory();
  assert.deepEqual((await run(without, answers)).loaded, []);
  const store = new Memory(true);
  assert.deepEqual((await run(store, answers)).loaded, ['a']);
  assert.deepEqual([store.row?.isFull, store.row?.currentAt], [true, null]);
  assert.deepEqual((await run(store, answers, { room: 3_000 })).loaded, ['b']);
  assert.deepEqual([store.row?.isFull, store.row?.currentAt], [false, 7]);
});

test('notes for which there is no room are not stored', async () => {
  const store = new Memory();
  await run(store, { start: pageOf([note('a', 'x'.repeat(2_000))], '1') });
  assert.deepEqual([texts(store), store.row?.isFull, store.row?.cursor], [{}, true, null]);
});

test('nothing more is asked for once a vault is not to be kept, or not to be read any more', async () => {
  const store = new Memory();
  store.row = null;
  assert.deepEqual((await run(store, {}, { rounds: 3 })).asked, []);
  const gone = () => {
    throw new ApiError(404, { error: 'Vault not found' }, null);
  };
  assert.deepEqual((await run(new Memory(), { start: gone }, { rounds: 3 })).asked, ['start']);
});
