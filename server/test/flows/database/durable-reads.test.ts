import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from '../../../src/ports/database/database.ts';
import { openSqlite } from '../../../src/ports/database/sqlite/sqlite.ts';
import { knownOperations, makeWorld, type Need } from '../../kit/operations.ts';
import type { Caller } from '../../kit/person.ts';
import { scratchFolder } from '../../kit/scratch.ts';
import { startServer } from '../../kit/server.ts';

/** A disk that ends no sync while it is held. */
class HeldDisk {
  #gate: PromiseWithResolvers<void> | undefined;
  waiting = 0;

  hold(): void {
    this.#gate = Promise.withResolvers();
  }

  release(error?: Error): void {
    if (error === undefined) this.#gate?.resolve();
    else this.#gate?.reject(error);
    this.#gate = undefined;
  }

  readonly sync = async (): Promise<void> => {
    this.waiting++;
    await this.#gate?.promise;
    this.waiting--;
  };
}

async function startOnHeldDisk() {
  const disk = new HeldDisk();
  const folder = scratchFolder('test');
  let db: Database | undefined;
  const open = async () => {
    db = await openSqlite({ file: join(folder, 'test.sqlite'), sync: disk.sync });
    return db;
  };
  const server = await startServer({ open });
  after(async () => {
    disk.release();
    await server[Symbol.asyncDispose]();
    await db?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  return { disk, server };
}

/** Waits until requests that touch no data have been answered ten times: any read would have been answered, too. */
async function longEnough(anyone: Caller): Promise<void> {
  for (let round = 0; round < 10; round++) await anyone.get('/health');
}

const NEEDS: readonly Need[] = [
  'gone',
  'folder',
  'note',
  'other',
  'attachment',
  'key',
  'cursor',
  'trash',
  'people',
  'activity',
];
const READS = new Set(['search', 'queryNotes', 'findKnownNotes']);

test('no read is answered before a commit that it may have seen is on disk', async () => {
  const { disk, server } = await startOnHeldDisk();
  const { alice, anyone } = server;
  const world = await makeWorld(alice, 'garden', NEEDS);
  const reads = (await knownOperations(anyone)).filter(
    ({ method, name, rule, answers }) =>
      (method === 'GET' || READS.has(name)) && rule.who !== 'anyone' && answers === 200,
  );
  assert.ok(reads.length > 30, `only ${reads.length} reads`);
  const early: string[] = [];
  for (const [index, { name, method, request, answers }] of reads.entries()) {
    disk.hold();
    const note = { path: `New ${index}.md`, content: 'not on disk', mtime: 1 };
    const write = alice.post('/notes', note, { 'x-vault-id': world.vault });
    while (disk.waiting === 0) await turn();
    const { url, body, headers = {} } = request(world);
    const seen = { answered: false };
    const read = alice.call(method, url, body, headers).finally(() => {
      seen.answered = true;
    });
    await longEnough(anyone);
    if (seen.answered) early.push(name);
    disk.release();
    assert.equal((await read).status, answers, name);
    assert.equal((await write).status, 200);
  }
  assert.deepEqual(early, []);
});

test('a refusal waits for the commit that it may have seen', async () => {
  const { disk, server } = await startOnHeldDisk();
  const { alice, anyone } = server;
  const world = await makeWorld(alice, 'garden', ['note']);
  const headers = { 'x-vault-id': world.vault };
  disk.hold();
  const deletion = alice.delete(`/notes/by-id/${world.note}`, undefined, headers);
  while (disk.waiting === 0) await turn();
  const seen = { answered: false };
  const read = alice.get(`/notes/by-id/${world.note}`, headers).finally(() => {
    seen.answered = true;
  });
  await longEnough(anyone);
  assert.equal(seen.answered, false);
  disk.release();
  assert.equal((await read).status, 404);
  assert.equal((await deletion).status, 200);
});

test('a read fails without its content when the sync of a commit that it saw fails', async () => {
  const { disk, server } = await startOnHeldDisk();
  const { alice } = server;
  const world = await makeWorld(alice, 'garden', ['note']);
  const headers = { 'x-vault-id': world.vault };
  disk.hold();
  const write = alice.post('/notes', { path: world.notePath, content: 'lost words', mtime: 1 }, headers);
  while (disk.waiting === 0) await turn();
  const read = alice.get(`/notes/by-id/${world.note}`, headers);
  const health = alice.get('/health');
  await health;
  disk.release(new Error('the disk is gone'));
  const answer = await read;
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('etag'), null);
  assert.doesNotMatch(JSON.stringify(answer.body), /lost words/);
  assert.equal((await write).status, 503);
});
