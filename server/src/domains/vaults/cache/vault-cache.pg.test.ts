import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import type { Raw } from '../../../../test/kit/database/raw-sql.ts';
import { onEachEngine, rawOf } from '../../../../test/kit/engines.ts';
import type { Answer, Caller, Headed } from '../../../../test/kit/person.ts';
import { startServer, type TestServer } from '../../../../test/kit/server.ts';
import type { OpenVault } from '../../access/access.ts';
import type { CachedCollection, CachedRow } from './vault-cache.ts';

const DAY_SECONDS = 24 * 60 * 60;

onEachEngine('[2.8] persisted pages of a vault', (open) => {
  test('persisted pages of a vault give a new process the rows that are current, and it opens the others', async () => {
    await using server = await startServer({ open });
    await using held = await vaultOf(server, 30);
    const { alice, headers, raw } = held;
    await held.putAtRest();
    await alice.post('/notes', { path: '1.md', content: 'written again', mtime: 2 }, headers);
    await alice.post('/notes/rename', { old_path: '2.md', new_path: 'renamed.md' }, headers);
    await alice.delete('/notes/3.md', undefined, headers);
    await alice.post('/notes', { path: 'new.md', content: '', mtime: 2 }, headers);
    await held.begin(async (caller) => {
      for (const path of ['/sync/manifest', '/vault/tree', '/tags'])
        assert.deepEqual((await caller.get(path, headers)).body, (await alice.get(path, headers)).body, path);
    });
    // Pages contain rows as they were opened: a row damaged later is still listed, and reading it is an error.
    await flip(raw, 'entries', 'meta', (await alice.get('/notes/5.md', headers)).body.id);
    assert.equal((await held.afresh('/sync/manifest')).body.total_notes, 30);
    assert.deepEqual((await held.afresh('/notes/5.md')).body, { error: 'note_unreadable' });
    // A damaged row that is in no page is an error, as without pages.
    await flip(raw, 'entries', 'meta', (await alice.get('/notes/1.md', headers)).body.id);
    const { body } = await held.afresh('/sync/manifest');
    assert.equal(body.error, 'note_unreadable');
    assert.equal(body.unreadable.length, 1);
  });

  test('persisted pages of a vault reveal nothing in clear, and open only in their vault and feed epoch', async () => {
    await using server = await startServer({ open });
    await using held = await vaultOf(server, 20);
    const { alice, headers, raw, vault } = held;
    const { body } = await alice.get('/sync/manifest', headers);
    const page = await held.putAtRest();
    for (const word of ['7.md', 'heading', 'topic', body.notes[0].content_hash, body.notes[0].crdt_head]) {
      assert.ok(!page.data.includes(word), `${word} is in clear`);
    }
    // Another vault, with rows of the same seqs.
    await using other = await vaultOf(server, 20);
    const expected = (await alice.get('/sync/manifest', other.headers)).body;
    await raw.run('update cache_pages set vault_id = $1', other.vault);
    assert.deepEqual((await other.afresh('/sync/manifest')).body, expected);
    await raw.run('update cache_pages set vault_id = $1', vault);
    assert.deepEqual((await held.afresh('/sync/manifest')).body, body);
    // Imitates a backup in which the rows got their seqs in another order.
    await raw.run('update entries set seq = 10000 - seq where vault_id = $1', vault);
    await raw.run('update entries set seq = seq - 9979 where vault_id = $1', vault);
    await raw.run('update vault_feeds set feed_epoch = 2 where vault_id = $1', vault);
    const turned = (await held.afresh('/sync/manifest')).body.notes as { path: string; seq: number }[];
    const seqs = new Map(body.notes.map(({ path, seq }: { path: string; seq: number }) => [path, 21 - seq]));
    assert.deepEqual(new Map(turned.map(({ path, seq }) => [path, seq])), seqs);
  });

  test('persisted pages of a vault are ignored when damaged, and written again', async () => {
    await using server = await startServer({ open });
    await using held = await vaultOf(server, 20);
    const { alice, headers, raw } = held;
    const page = await held.putAtRest();
    await flip(raw, 'cache_pages', 'data', page.id);
    const { body } = await alice.get('/sync/manifest', headers);
    await held.begin(async (caller, { cache }) => {
      assert.deepEqual((await caller.get('/sync/manifest', headers)).body, body);
      await cache.persist(1);
    });
    const [rewritten, ...more] = await held.pages();
    assert.ok(rewritten !== undefined && rewritten.id !== page.id);
    assert.equal(more.length, 0);
    assert.deepEqual((await held.afresh('/sync/manifest')).body, body);
  });

  test('persisted pages of a vault are written again when most of their rows are outdated, so that there are never many', async () => {
    await using server = await startServer({ open });
    await using held = await vaultOf(server, 1);
    const { raw, vault, cache } = held;
    const invented = inventedRows(600);
    const opened = await held.open();
    for (let round = 1; round <= 10; round++) {
      await raw.run('update vault_feeds set change_seq = $1 where vault_id = $2', 1000 * round, vault);
      await cache.snapshot(opened, async (snapshot) => {
        const { byId } = await snapshot.rows(invented.kind(1000 * round));
        assert.equal(byId.size, 600);
      });
      await cache.persist(1);
      const count = (await held.pages()).length;
      assert.ok(count > 0 && count <= 12, `${count} pages of 600 rows`);
    }
  });

  test('persisted pages of a vault are also written for a vault that is written to and never read', async () => {
    await using server = await startServer({ open });
    await using held = await vaultOf(server, 700);
    await server.app.sync.persistCache();
    assert.equal((await held.pages()).length, 1);
    const { body } = await held.afresh('/sync/manifest');
    assert.equal(body.total_notes, 700);
    assert.equal(new Set(body.notes.map(({ path }: { path: string }) => path)).size, 700);
  });

  test('persisted pages of a vault are deleted before the tombstones of their rows expire, and with a purge', async () => {
    await using server = await startServer({ open });
    await using held = await vaultOf(server, 20);
    const { alice, headers, vault } = held;
    await held.putAtRest();
    await alice.delete('/notes/3.md', undefined, headers);
    server.clock.advance({ seconds: 89 * DAY_SECONDS });
    assert.equal(await server.app.sync.dropExpired(), 0);
    assert.equal((await held.pages()).length, 1);
    server.clock.advance({ seconds: DAY_SECONDS });
    assert.equal(await server.app.sync.dropExpired(), 1);
    assert.equal((await held.pages()).length, 0);

    const { body } = await held.afresh('/sync/manifest');
    assert.equal(body.total_notes, 19);
    await held.putAtRest();
    assert.equal((await alice.delete(`/vaults/${vault}`)).status, 200);
    server.clock.advance({ seconds: 31 * DAY_SECONDS });
    await server.app.vaults.purgeDue(server.clock.now());
    assert.equal((await held.pages()).length, 0);
  });
});

interface Page {
  readonly id: string;
  readonly data: Buffer;
}

interface Held extends AsyncDisposable {
  readonly cache: TestServer['app']['cache'];
  /** Uses a credential that does not expire. */
  readonly alice: Caller;
  readonly headers: Headed;
  readonly vault: VaultId;
  readonly raw: Raw;
  open(): Promise<OpenVault>;
  /** Persists the vault's notes; resolves to the newest page. */
  putAtRest(): Promise<Page>;
  pages(): Promise<Page[]>;
  /** Runs work against another server over the same database, with an empty cache. */
  begin(work: (caller: Caller, app: TestServer['app']) => Promise<void>): Promise<void>;
  /** The answer of such a server. */
  afresh(path: string): Promise<Answer>;
}

/** A vault of `count` notes. */
async function vaultOf(server: TestServer, count: number): Promise<Held> {
  const { db, clock, masterKey } = server;
  const { key } = (await server.alice.post('/connections/pat', { name: 'lasting' })).body;
  const alice = server.bearer(key);
  const vault: VaultId = (await alice.post('/vaults', { name: 'Notes' })).body.vault.id;
  const headers = { 'x-vault-id': vault };
  for (let from = 0; from < count; from += 100) {
    const notes = Array.from({ length: Math.min(100, count - from) }, (_, at) => ({
      path: `${from + at}.md`,
      mtime: 1,
      content: `# A heading ${from + at}\n\n#topic${at % 7}\n`,
    }));
    const answer = await alice.post('/notes/batch', { notes }, { ...headers, 'x-idempotency-key': `${from}` });
    assert.equal(answer.status, 200);
  }
  const raw = await rawOf(db);
  const pages = async () =>
    (await raw.all('select id, data from cache_pages where vault_id = $1 order by id', vault)) as unknown as Page[];
  const open = async () => {
    const opened = await server.app.vaults.openAsSystem(vault);
    assert.ok(opened !== null);
    return opened;
  };
  const begin: Held['begin'] = async (work) => {
    await using other = await startServer({ open: async () => db, clock, masterKey });
    await work(other.bearer(key), other.app);
  };
  return {
    cache: server.app.cache,
    alice,
    headers,
    vault,
    raw,
    open,
    pages,
    begin,
    async putAtRest() {
      await server.app.cache.snapshot(await open(), (snapshot) => snapshot.rows(server.app.notes.cache));
      await server.app.cache.persist(1);
      const page = (await pages()).at(-1);
      assert.ok(page !== undefined);
      return page;
    },
    async afresh(path) {
      let answer: Answer | undefined;
      await begin(async (caller) => {
        answer = await caller.get(path, headers);
      });
      assert.ok(answer !== undefined);
      return answer;
    },
    [Symbol.asyncDispose]: () => raw[Symbol.asyncDispose](),
  };
}

/** Invented rows that are not stored, all of which are rewritten up to each change seq that is a multiple of 1,000. */
function inventedRows(count: number): { kind(changeSeq: number): CachedCollection<CachedRow> } {
  let now = 0;
  const rows = (after: number, limit: number): CachedRow[] =>
    Array.from({ length: count }, (_, at) => ({ id: `${at}`, path: `${at}`, seq: (now - count + at + 1) as Seq }))
      .filter(({ seq }) => seq > after)
      .slice(0, limit);
  const kind: CachedCollection<CachedRow> = {
    type: 'note',
    name: 'invented 1',
    changed: async (_handle, _vault, after, limit) =>
      rows(after, limit).map((row) => ({ id: row.id, seq: row.seq, row })),
    liveSeqs: async (_handle, _vault, after, limit) => rows(after, limit).map(({ seq }) => seq),
    rowsAt: async (_handle, _vault, seqs) =>
      rows(0, count)
        .filter(({ seq }) => seqs.includes(seq))
        .map((row) => ({ id: row.id, seq: row.seq, row })),
    bytesOf: () => 100,
  };
  return {
    kind(changeSeq) {
      now = changeSeq;
      return kind;
    },
  };
}

/** Damages a stored value in its last byte. */
async function flip(raw: Raw, table: string, column: string, id: string): Promise<void> {
  const [row] = await raw.all(`select ${column} as value from ${table} where id = $1`, id);
  const value = row?.value;
  assert.ok(Buffer.isBuffer(value));
  const damaged = Buffer.from(value);
  damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 1, damaged.length - 1);
  assert.equal(await raw.run(`update ${table} set ${column} = $1 where id = $2`, damaged, id), 1);
}
