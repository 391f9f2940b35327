/** Writes that are under way in one process while a right is taken away in another, which no hint tells of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NoteId, Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import type { Database, WriteHandle } from '../../src/ports/database/database.ts';
import { makerOfScenes, newSession, tokenOf, vaultRemovals } from '../flows/access/removals.ts';
import { SESSION } from '../flows/access/standings.ts';
import { FlakySocket } from '../kit/clients/provider-clients.ts';
import { watchDecisions } from '../kit/clients/slow-call.ts';
import { onEachEngine } from '../kit/engines.ts';
import { Caller } from '../kit/person.ts';
import { oneServer } from '../kit/server.ts';
import { startShared } from '../kit/shared-vault.ts';
import { turns, until } from '../kit/until.ts';

const callerAt = (url: string, token: string) => new Caller(url, async () => ({ authorization: `Bearer ${token}` }));

const ROUNDS = 8;
const WRITERS = 12;

/** Holds the transactions of a process, while it is closed: before they begin, or before they commit. */
class Barrier {
  #open: PromiseWithResolvers<void> | null = null;
  #at: 'begin' | 'commit' = 'begin';
  waiting = 0;

  /** Closed until it is opened, or until the end of the test. */
  close(at: 'begin' | 'commit'): Disposable {
    [this.#open, this.#at, this.waiting] = [Promise.withResolvers(), at, 0];
    return { [Symbol.dispose]: () => this.open() };
  }

  open(): void {
    this.#open?.resolve();
    this.#open = null;
  }

  before(db: Database): Database {
    const transact: Database['transact'] = async (body, ...more) => {
      await this.#pass('begin');
      const held = async (handle: WriteHandle) => {
        const result = await body(handle);
        await this.#pass('commit');
        return result;
      };
      // On SQLite a transaction may await nothing but its handle.
      return db.transact(this.#at === 'commit' ? held : body, ...more);
    };
    return new Proxy(db, {
      get(target, name) {
        if (name === 'transact') return transact;
        const own: unknown = Reflect.get(target, name, target);
        return typeof own === 'function' ? own.bind(target) : own;
      },
    });
  }

  async #pass(at: 'begin' | 'commit'): Promise<void> {
    if (this.#open === null || this.#at !== at) return;
    this.waiting += 1;
    await this.#open.promise;
  }
}

onEachEngine('nothing that began before a right was taken away', (open, engine) => {
  const barrier = new Barrier();
  const first = oneServer(() => ({ open }));
  const second = oneServer(async () => {
    const { db, clock, masterKey, blobs } = await first();
    return { open: async () => barrier.before(db), clock, masterKey, blobs };
  });
  type Shared = Awaited<ReturnType<typeof startShared>>;
  const seqOf = async ({ server, vault }: Shared) =>
    (await server.app.vaults.changeSeqs([vault as VaultId])).get(vault as VaultId) as Seq;

  /** Lets somebody write until a removal has been answered; checks that nothing of it commits after that. */
  async function race(shared: Shared, writer: Caller, take: () => Promise<{ readonly status: number }>) {
    const { headers } = shared;
    let [isOver, written] = [false, 0];
    const write = async (number: number) => {
      for (let at = 0; !isOver; at++) {
        const path = `${number}-${at % 3}.md`;
        const { status } = await writer.post('/notes', { path, content: `${at}`, mtime: 1 }, headers);
        if (status !== 200) return;
        written += 1;
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, number) => write(number));
    await until(() => written > WRITERS);
    const { status } = await take();
    const seq = await seqOf(shared);
    isOver = true;
    assert.ok(status < 300, `${status}`);
    await Promise.all(writers);
    assert.equal(await seqOf(shared), seq);
  }

  const takes = {
    'the member is removed': ({ alice, path }: Shared, id: string) => alice.delete(`${path}/${id}`),
    'the role is lowered': ({ alice, path }: Shared, id: string) => alice.patch(`${path}/${id}`, { role: 'viewer' }),
  };

  for (const [name, take] of Object.entries(takes)) {
    test(`is written if its transaction had not begun when ${name}`, async () => {
      const shared = await startShared(await first());
      const other = await second();
      const id = await shared.join(shared.bob, 'editor');
      const writer = callerAt(other.url, (await shared.server.bob.signed()).accessToken);
      const write = (n: number) => writer.post('/notes', { path: `${n}.md`, content: 'x', mtime: 1 }, shared.headers);
      // The first write of a process to a vault has more transactions.
      assert.equal((await write(WRITERS)).status, 200);
      using decisions = watchDecisions(other);
      using _ = barrier.close('begin');
      const writes = Array.from({ length: WRITERS }, (_, n) => write(n));
      await decisions.decided(WRITERS, WRITERS);
      await until(() => barrier.waiting > 0);
      const { status } = await take(shared, id);
      assert.ok(status < 300, `${status}`);
      const seq = await seqOf(shared);
      barrier.open();
      for (const written of writes) assert.ok([403, 404].includes((await written).status));
      assert.equal(await seqOf(shared), seq);
    });
  }

  test('by a request whose vault is opened after the password was changed is written', async (t) => {
    const { app, anyone, bearer, person } = await first();
    const carol = person('carol');
    const vault = (await carol.post('/vaults', { name: 'Own' })).body.vault.id as VaultId;
    const token = await newSession({ anyone }, carol);
    const { openVault } = app.vaults;
    t.mock.method(app.vaults, 'openVault', async (...args: Parameters<typeof openVault>) => {
      t.mock.restoreAll();
      const change = { old_password: carol.password, new_password: 'another long password' };
      assert.equal((await carol.post('/auth/password/change', change)).status, 200);
      return openVault(...args);
    });
    // The vault is not named, so that it is read only once the caller is known.
    const { status } = await bearer(token).post('/notes', { path: 'a.md', content: 'late', mtime: 1 });
    assert.deepEqual([status, (await app.vaults.changeSeqs([vault])).get(vault)], [401, 0]);
  });

  // On SQLite a removal waits for the transactions before it, so nothing is in flight when it is decided.
  const skip = engine === 'sqlite' ? 'transactions of SQLite do not overlap' : false;

  test('commits after the removal was answered, if it had locked its vault before', { skip }, async () => {
    const shared = await startShared(await first());
    const { url } = await second();
    const id = await shared.join(shared.bob, 'editor');
    const writer = callerAt(url, (await shared.server.bob.signed()).accessToken);
    const write = (path: string) => writer.post('/notes', { path, content: 'x', mtime: 1 }, shared.headers);
    assert.equal((await write('first.md')).status, 200);
    using _ = barrier.close('commit');
    const writing = write('held.md');
    await until(() => barrier.waiting > 0);
    let isRemoved = false;
    const removing = takes['the member is removed'](shared, id).finally(() => {
      isRemoved = true;
    });
    await turns();
    assert.equal(isRemoved, false);
    barrier.open();
    assert.equal((await removing).status, 204);
    const seq = await seqOf(shared);
    assert.equal((await writing).status, 200);
    assert.equal(await seqOf(shared), seq);
  });

  test('by notes of a member commits after the removal was answered', { skip }, async () => {
    const shared = await startShared(await first());
    const { url } = await second();
    const { server, alice, bob, path } = shared;
    const { accessToken } = await server.bob.signed();
    const writer = callerAt(url, accessToken);
    for (let round = 0; round < ROUNDS; round++) {
      const id = await shared.join(bob, 'editor');
      const lowers = round % 2 === 1;
      await race(shared, writer, () =>
        lowers ? alice.patch(`${path}/${id}`, { role: 'viewer' }) : alice.delete(`${path}/${id}`),
      );
      if (lowers) await alice.delete(`${path}/${id}`);
    }
  });

  test('by notes of a key commits after the key was revoked', { skip }, async () => {
    const shared = await startShared(await first());
    const { url } = await second();
    for (let round = 0; round < ROUNDS; round++) {
      const { id, key } = (await shared.alice.post('/api-keys', { name: 'k' })).body;
      await race(shared, callerAt(url, key), () => shared.alice.delete(`/api-keys/${id}`));
    }
  });
});

onEachEngine('an edit of a socket in another process', (open) => {
  const makeScene = makerOfScenes(open, ['note']);
  const second = oneServer(async () => {
    const { db, clock, masterKey, blobs } = (await makeScene('first')).server;
    return { open: async () => db, clock, masterKey, blobs };
  });

  for (const [at, [name, removal]] of vaultRemovals.entries()) {
    test(`is not stored after ${name}, and what was acknowledged stays`, async () => {
      const scene = await makeScene(`socket${at}`);
      const { server, world } = scene;
      const { url } = await second();
      using line = new FlakySocket(url);
      using typing = await line.open(world.note, await tokenOf(scene, removal, SESSION)).synced();
      typing.type(' kept');
      await typing.synced();
      const { status } = await removal.take(scene);
      assert.ok(status < 300, `${status}`);
      typing.type(' lost');
      await until(() => typing.received.closed.length > 0 || line.closes.length > 0);
      const vault = await server.app.vaults.openAsSystem(world.vault as VaultId);
      if (vault === null) return;
      await server.app.notes.live.flush(vault);
      const { content } = await server.app.notes.getById(vault, world.note as NoteId);
      assert.match(content, / kept$/);
    });
  }
});
