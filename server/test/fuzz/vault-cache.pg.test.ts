import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { Database } from '../../src/ports/database/database.ts';
import { onEachEngine, rawOf } from '../kit/engines.ts';
import type { Answer, Caller, Headed } from '../kit/person.ts';
import { Random } from '../kit/random.ts';
import { startServer } from '../kit/server.ts';
import { Chance } from './moves.ops.ts';
import { Viewer } from './moves.view.ts';
import { Maker } from './moves.world.ts';

/*
 * Compares servers that cache vaults in memory with a server that caches nothing: after random requests, sometimes
 * several at once and from two servers, all their lists must be the same.
 */

const SEEDS = [1, 2, 3];
const STEPS = 30;

onEachEngine('the vault cache', (open) => {
  for (const seed of SEEDS) {
    test(`[2.8] equals the stored rows after random requests (seed ${seed})`, async () => {
      await using three = await startThree(open);
      await run(three, seed);
    });
  }

  test('[1.6] [2.8] the vault cache is read again in a new feed epoch, and when the database was restored', async () => {
    await using three = await startThree(open);
    const { warm, cold, headers, vault } = three;
    const [first] = warm;
    await first?.post('/notes', { path: 'a.md', content: 'one', mtime: 1 }, headers);
    await first?.post('/notes', { path: 'b.md', content: '#two', mtime: 1 }, headers);
    await compare(warm, cold, headers, new Map());
    await using raw = await rawOf(three.db);
    // Imitates a backup from before the second note, restored under a running server.
    await raw.all('delete from entries where vault_id = $1 and seq = 2', vault);
    await raw.all('update vault_feeds set change_seq = 1, note_count = 1 where vault_id = $1', vault);
    await compare(warm, cold, headers, new Map());
    await raw.all('update entries set seq = 1 + seq where vault_id = $1', vault);
    await raw.all('update vault_feeds set change_seq = 2, feed_epoch = 2 where vault_id = $1', vault);
    await compare(warm, cold, headers, new Map());
  });

  test('[2.8] the vault cache is bounded: the vaults used longest ago are evicted, and read again when requested', async () => {
    await using server = await startServer({ open, config: { hotVaultsMb: 1 } });
    const vaults: Headed[] = [];
    for (const name of ['a', 'b', 'c']) {
      const { id } = (await server.alice.post('/vaults', { name })).body.vault;
      vaults.push({ 'x-vault-id': id });
      for (let from = 0; from < 1000; from += 100) {
        const some = Array.from({ length: 100 }, (_, at) => ({
          path: `${name}/${from + at}.md`,
          content: '',
          mtime: 1,
        }));
        await server.alice.post('/notes/batch', { notes: some }, { 'x-vault-id': id, 'x-idempotency-key': `${from}` });
      }
    }
    const { cache } = server.app;
    for (const headers of [...vaults, ...vaults]) {
      const { body } = await server.alice.get('/sync/manifest', headers);
      assert.equal(body.total_notes, 1000);
      assert.ok(cache.bytes > 400_000 && cache.bytes <= MB, `${cache.bytes}`);
    }
    const [, , last] = vaults;
    await server.alice.delete(`/vaults/${last?.['x-vault-id']}`);
    await server.alice.delete(`/vaults/${vaults[0]?.['x-vault-id']}`);
    await server.alice.delete(`/vaults/${vaults[1]?.['x-vault-id']}`);
    assert.equal(cache.bytes, 0, 'nothing is held of deleted vaults');
  });
});

interface Three extends AsyncDisposable {
  readonly db: Database;
  /** Callers of two servers with a cache. */
  readonly warm: readonly Caller[];
  /** A caller of a server without a cache. */
  readonly cold: Caller;
  readonly headers: Headed;
  readonly vault: string;
  readonly masterKey: Buffer;
  advance(): void;
  dropExpired(): Promise<number>;
}

async function startThree(open: () => Promise<Database>): Promise<Three> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await startServer({ open }));
  const { db, clock, masterKey, alice } = server;
  const more = { open: async () => db, clock, masterKey };
  const second = opened.use(await startServer(more));
  const cold = opened.use(await startServer({ ...more, config: { hotVaultsMb: 0 } }));
  const { vault } = (await alice.post('/vaults', { name: 'Notes' })).body;
  const { key } = (await alice.post('/connections/pat', { name: 'lasting' })).body;
  const closing = opened.move();
  return {
    db,
    masterKey,
    warm: [server.bearer(key), second.bearer(key)],
    cold: cold.bearer(key),
    vault: vault.id,
    headers: { 'x-vault-id': vault.id },
    advance: () => clock.advance({ seconds: 1 }),
    dropExpired: () => {
      clock.advance({ seconds: 91 * 24 * 60 * 60 });
      return server.app.sync.dropExpired();
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function run(three: Three, seed: number): Promise<void> {
  const { warm, cold, headers } = three;
  const random = new Random(seed);
  const chance = new Chance(random, new Maker(random, false), true);
  await using raw = await rawOf(three.db);
  const viewer = await Viewer.of(raw, three.masterKey, three.vault);
  /** Every manifest that was returned, by seq: there is one for each seq. */
  const given = new Map<number, string>();
  for (let step = 0; step < STEPS; step++) {
    three.advance();
    const world = await viewer.look();
    const many = random.chance(0.3) ? 2 + random.below(4) : 1;
    const ops = Array.from({ length: many }, () => chance.next(world));
    const looking = random.chance(0.5);
    await Promise.all([
      ...ops.map((op, at) => op.send(pick(warm, at), headers)),
      ...(looking ? [0, 1, 0, 1] : []).map((at) => manifest(pick(warm, at), headers, given)),
    ]);
    if (random.chance(0.03)) await three.dropExpired();
    // Not after every step, so that catching up sometimes covers several writes.
    if (random.chance(0.6)) await compare(warm, cold, headers, given);
  }
  await compare(warm, cold, headers, given);
}

function pick(callers: readonly Caller[], at: number): Caller {
  const caller = callers[at % callers.length];
  assert.ok(caller !== undefined);
  return caller;
}

async function manifest(caller: Caller, headers: Headed, given: Map<number, string>): Promise<Answer['body']> {
  const { status, body } = await caller.get('/sync/manifest', headers);
  assert.equal(status, 200);
  const text = JSON.stringify(body);
  assert.equal(given.get(body.change_seq) ?? text, text, 'two manifests of one moment differ');
  given.set(body.change_seq, text);
  return body;
}

/** Fails unless all servers return the same lists, in every way of listing. */
async function compare(
  warm: readonly Caller[],
  cold: Caller,
  headers: Headed,
  given: Map<number, string>,
): Promise<void> {
  const { folders } = (await cold.get('/folders', headers)).body;
  const lists = folders.map(({ name }: { name: string }) => `/folders/list?folder=${encodeURIComponent(name)}`);
  const expected = await manifest(cold, headers, given);
  for (const caller of warm) assert.deepEqual(await manifest(caller, headers, given), expected);
  for (const path of ['/vault/tree', '/tags', '/types', ...lists]) {
    const answer = await cold.get(path, headers);
    assert.equal(answer.status, 200);
    for (const caller of warm) assert.deepEqual((await caller.get(path, headers)).body, answer.body, path);
  }
  await replay(pick(warm, 0), headers, expected);
}

/** Checks that the change feed, read from the start, leads to the manifest. */
async function replay(caller: Caller, headers: Headed, expected: Answer['body']): Promise<void> {
  const rows = new Map<string, Answer['body']>();
  for (let cursor = ''; ; ) {
    const { status, body } = await caller.get(`/sync/changes?limit=7&cursor=${cursor}`, headers);
    assert.equal(status, 200);
    for (const row of body.changes) {
      if (row.deleted) rows.delete(row.id);
      else rows.set(row.id, row);
    }
    if (!body.has_more) break;
    cursor = body.next_cursor;
  }
  const entry = ({ id, path, content_hash, seq }: Answer['body']) => ({ id, path, content_hash, seq });
  const followed = [...rows.values()].map(entry).sort((a, b) => (a.path < b.path ? -1 : 1));
  const listed = [...expected.notes, ...expected.attachments].map(entry);
  assert.deepEqual(
    followed,
    listed.sort((a, b) => (a.path < b.path ? -1 : 1)),
  );
}
