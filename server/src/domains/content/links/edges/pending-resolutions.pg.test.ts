import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { assertConsistent } from '../../../../../test/kit/database/assert-consistent.ts';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { startNotes, type Writer } from '../../../../../test/kit/notes.ts';
import type { Answer, Caller } from '../../../../../test/kit/person.ts';
import { startServer } from '../../../../../test/kit/server.ts';
import { type Database, DatabaseError, type Priority, type WriteHandle } from '../../../../ports/database/database.ts';
import { findResolutions } from '../link-resolutions.store.ts';
import { overwriteTargets } from '../links.store.ts';
import { RESOLVED_AT_ONCE } from './resolve-again.ts';

/** Links of each of three notes, together more than one transaction resolves. */
const LINKS = RESOLVED_AT_ONCE * 0.4;
const SOURCES = ['a/1.md', 'b/2.md', '3.md'];

interface Transaction {
  readonly priority: Priority | undefined;
  /** Edges that got another target. */
  edges: number;
}

/** A database that records its transactions, and in which links wait as long as `held` is true. */
function observed(db: Database) {
  const transactions: Transaction[] = [];
  const state = { held: false, transactions };
  const counting = (handle: WriteHandle, transaction: Transaction): WriteHandle => ({
    get: (statement, params) => handle.get(statement, params),
    all: (statement, params) => handle.all(statement, params),
    allMany: (statement, params, items) => handle.allMany(statement, params, items),
    run: (statement, params) => handle.run(statement, params),
    runMany(statement, params, items) {
      if ((statement as unknown) === overwriteTargets) transaction.edges += items.length;
      return handle.runMany(statement, params, items);
    },
    onCommit: (effect) => handle.onCommit(effect),
  });
  const watched: Database = {
    engine: db.engine,
    async get(statement, params) {
      if (state.held && (statement as unknown) === findResolutions) throw new DatabaseError('unavailable', 'held');
      return db.get(statement, params);
    },
    all: (statement, params) => db.all(statement, params),
    allMany: (statement, params, items) => db.allMany(statement, params, items),
    read: (body) => db.read(body),
    transact(body, priority) {
      const transaction: Transaction = { priority, edges: 0 };
      transactions.push(transaction);
      return db.transact((handle) => body(counting(handle, transaction)), priority);
    },
    migrate: (migrations, beforeUpgrade) => db.migrate(migrations, beforeUpgrade),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
  return { watched, state };
}

interface Change {
  readonly prepare?: () => Promise<unknown>;
  readonly change: () => Promise<Answer>;
  /** Whether the links have a target afterwards. */
  readonly leads: boolean;
}

/** Changes by which entries of a name appear and disappear, one after the other, by the target of the links. */
const CHANGES: Readonly<Record<string, (alice: Writer) => readonly Change[]>> = {
  hub: ({ caller, put, remove }) => [
    { change: () => put('hub.md'), leads: true },
    { change: () => remove('hub.md'), leads: false },
    { change: () => restoreLast(caller), leads: true },
    {
      prepare: () => remove('hub.md'),
      change: () => put('other.md', { content: '---\naliases: [hub]\n---\n' }),
      leads: true,
    },
    {
      prepare: () => put('other.md'),
      change: () => caller.post('/notes/rename', { old_path: 'other.md', new_path: 'hub.md' }),
      leads: true,
    },
  ],
  'in/hub': ({ caller, put }) => [
    {
      prepare: () => put('out/hub.md'),
      change: () => caller.post('/folders/rename', { old_path: 'out', new_path: 'in' }),
      leads: true,
    },
    { change: () => caller.delete('/folders/in?recursive=true'), leads: false },
  ],
  'hub.txt': ({ caller }) => [
    { change: () => upload(caller, 'hub.txt'), leads: true },
    { change: () => caller.delete('/attachments/hub.txt'), leads: false },
    { change: () => restoreLast(caller), leads: true },
    {
      prepare: async () => [await caller.delete('/attachments/hub.txt'), await upload(caller, 'other.txt')],
      change: () => caller.post('/attachments/rename', { old_path: 'other.txt', new_path: 'hub.txt' }),
      leads: true,
    },
  ],
};

function upload(caller: Caller, path: string): Promise<Answer> {
  return caller.post('/attachments', { path, content_base64: btoa(path), mtime: 1 });
}

async function restoreLast(caller: Caller): Promise<Answer> {
  const [item] = (await caller.get('/trash')).body.items;
  return caller.post(`/trash/${item.id}/restore`, {});
}

onEachEngine('links to one name that are too many for one transaction', (open) => {
  async function start(target = 'hub') {
    const db = await open();
    const { watched, state } = observed(db);
    const notes = await startNotes({ open: async () => watched });
    const { alice, server } = notes;
    for (const path of SOURCES) await alice.write(path, `[[${target}]] `.repeat(LINKS));
    const targets = async () => {
      const found = await Promise.all(SOURCES.map(async (path) => (await alice.read(path)).body.links));
      return found.map((links) => [
        ...new Set(links.map(({ target_path }: { target_path: string | null }) => target_path)),
      ]);
    };
    const dangling = () => server.app.links.countDangling({ id: alice.vault as VaultId });
    const { masterKey, clock } = server;
    /** Resolves links as another process does after a crash of this one. */
    const resume = async () => {
      await using other = await startServer({ open: async () => db, masterKey, clock });
      await other.app.links.resolvePending(new AbortController().signal);
    };
    return {
      ...{ alice, state, targets, dangling, resume },
      consistent: () => assertConsistent({ db, masterKey }),
      [Symbol.asyncDispose]: () => notes[Symbol.asyncDispose](),
    };
  }

  for (const [target, changesOf] of Object.entries(CHANGES)) {
    test(`links to ${target} are resolved by transactions of at most 1,000, before the change is answered`, async () => {
      await using vault = await start(target);
      for (const [index, { prepare, change, leads }] of changesOf(vault.alice).entries()) {
        await prepare?.();
        vault.state.transactions.length = 0;
        const { status } = await change();
        assert.ok(status < 300, `change ${index} was answered ${status}`);
        assert.equal(await vault.dangling(), leads ? 0 : SOURCES.length * LINKS, `change ${index}`);
        const counts = vault.state.transactions.map(({ edges }) => edges);
        assert.ok(Math.max(...counts) <= RESOLVED_AT_ONCE, `change ${index}: ${counts}`);
        assert.equal(
          counts.reduce((sum, count) => sum + count, 0),
          SOURCES.length * LINKS,
        );
        assert.ok(vault.state.transactions.every(({ priority }) => priority !== 'bulk'));
      }
      await vault.consistent();
    });
  }

  test('they keep their former targets until another process resolves them after a crash', async () => {
    await using vault = await start();
    vault.state.held = true;
    await vault.alice.write('hub.md');
    assert.deepEqual(await vault.targets(), Array(SOURCES.length).fill([null]));
    await vault.resume();
    assert.deepEqual(await vault.targets(), Array(SOURCES.length).fill(['hub.md']));
    await vault.consistent();
  });

  test('they lead to the best target, whatever else changed while they waited', async () => {
    await using vault = await start();
    const { alice } = vault;
    vault.state.held = true;
    await alice.write('hub.md');
    await alice.write('a/hub.md');
    await alice.write('b/other.md', '---\naliases: [hub]\n---\n');
    await alice.remove('hub.md');
    await alice.write('3.md', `new [[hub]] ${'[[hub]] '.repeat(LINKS)}`);
    await alice.write('b/hub.md');
    await alice.remove('a/hub.md');
    await vault.resume();
    assert.deepEqual(await vault.targets(), Array(SOURCES.length).fill(['b/hub.md']));
    await vault.consistent();
  });

  test('a rename resolves them first, and rewrites those that lead to what it renames', async () => {
    await using vault = await start();
    const { alice } = vault;
    vault.state.held = true;
    await alice.write('hub.md');
    vault.state.held = false;
    const renamed = await alice.caller.post('/notes/rename', { old_path: 'hub.md', new_path: 'new.md' });
    assert.equal(renamed.status, 200);
    assert.deepEqual(await vault.targets(), Array(SOURCES.length).fill(['new.md']));
    assert.equal((await alice.read('3.md')).body.content, '[[new]] '.repeat(LINKS));
    await vault.consistent();
  });
});
