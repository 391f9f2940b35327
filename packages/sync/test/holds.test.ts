import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeHashing } from '../../../cli/src/sync/run/node-hashing.ts';
import { Random } from '../../../server/test/kit/random.ts';
import { SyncEngine } from '../src/engine/engine.ts';
import { Scheduler } from './simulation/scheduler.ts';
import { SimDisk } from './simulation/sim-disk.ts';
import { SimServer } from './simulation/sim-server.ts';
import { SimStore } from './simulation/sim-store.ts';

/** Randomness by which no answer is lost and no request is doubled. */
class Calm extends Random {
  override chance(): boolean {
    return false;
  }
}

/** @param isOnBoth whether the note was on the server too before the first sync, which then transfers no text. */
async function syncedNote(text: string, { isOnBoth = false } = {}) {
  const scheduler = new Scheduler(new Calm(1));
  const disk = new SimDisk({ hasFileIds: false, foldsCase: false, takesColons: true }, scheduler, new Calm(1));
  const server = new SimServer(new Calm(1));
  const sleep = async (ms: number) => {
    scheduler.ticks += ms;
  };
  const ports = {
    disk,
    server: server.reachedBy(async () => undefined),
    store: new SimStore(),
    clock: { ...scheduler.clock(), sleep },
    hashing: nodeHashing,
  };
  disk.userWrite('note.md', text);
  if (isOnBoth) server.agentCreate('note.md', text);
  const engine = await SyncEngine.open(ports, { device: 'desk' });
  const sync = async () => {
    scheduler.ticks += 10_000;
    return engine.sync();
  };
  assert.equal((await sync()).kind, 'in step');
  const [row] = server.live;
  if (row === undefined) throw new Error('the note is not in the vault');
  return { disk, server, engine, sync, row, restart: () => SyncEngine.open(ports, { device: 'desk' }) };
}

test('the text of a held note is neither sent nor fetched, and the note is renamed nevertheless', async () => {
  const { disk, server, engine, sync, row } = await syncedNote('one\n');
  const hold = await engine.holds.hold('note.md', 'one\n');
  assert.deepEqual([hold?.id, hold?.text], [row.id, 'one\n']);
  disk.userWrite('note.md', 'one\nhere\n');
  server.agentWrite(row, 'one\nthere\n');
  server.agentMove(row, 'other.md');
  assert.equal((await sync()).kind, 'in step');
  hold?.moved('other.md');
  assert.deepEqual([...disk.contents], [['other.md', 'one\nhere\n']]);
  assert.equal(server.live[0]?.content, 'one\nthere\n');
  disk.userMove('other.md', 'third.md');
  hold?.moved('third.md');
  assert.equal((await sync()).kind, 'in step');
  assert.deepEqual([server.live[0]?.path, server.live[0]?.id], ['third.md', row.id]);
});

test('a note that is released is compared with the text that was agreed on last', async () => {
  const { disk, server, engine, sync, row } = await syncedNote('one\n');
  const hold = await engine.holds.hold('note.md', 'one\n');
  disk.userWrite('note.md', 'one\ntwo\n');
  server.agentWrite(row, 'one\ntwo\n');
  await hold?.agree('one\ntwo\n');
  disk.userWrite('note.md', 'one\ntwo\nthree\n');
  hold?.release();
  assert.equal((await sync()).kind, 'in step');
  assert.deepEqual([disk.contents.get('note.md'), server.live[0]?.content], ['one\ntwo\nthree\n', 'one\ntwo\nthree\n']);
});

test('a note that is not in sync cannot be held, nor can one twice', async () => {
  const { disk, engine } = await syncedNote('one\n');
  disk.userWrite('new.md', 'text\n');
  assert.equal(await engine.holds.hold('new.md', 'text\n'), null);
  assert.notEqual(await engine.holds.hold('note.md', 'one\n'), null);
  assert.equal(await engine.holds.hold('note.md', 'one\n'), null);
});

test('the text of a file that was changed since is told by what was agreed on, not by the file', async () => {
  const { disk, engine } = await syncedNote('one\n');
  disk.userWrite('note.md', 'changed\n');
  assert.equal((await engine.holds.hold('note.md', 'changed\n'))?.text, 'one\n');
});

test('the text of a reserved note is left alone until it is held, and after a hold that reserves it again', async () => {
  const { disk, server, engine, sync, row } = await syncedNote('one\n');
  engine.holds.reserve([row.id, 'unknown']);
  disk.userWrite('note.md', 'one\nhere\n');
  assert.equal((await sync()).kind, 'in step');
  assert.equal(server.live[0]?.content, 'one\n');
  const hold = await engine.holds.hold('note.md', 'one\nhere\n');
  assert.deepEqual([hold?.id, hold?.text], [row.id, 'one\n']);
  hold?.reserve();
  assert.equal((await sync()).kind, 'in step');
  assert.equal(server.live[0]?.content, 'one\n');
  (await engine.holds.hold('note.md', 'one\nhere\n'))?.release();
  assert.equal((await sync()).kind, 'in step');
  assert.equal(server.live[0]?.content, 'one\nhere\n');
});

test('after a kill the text of a held note is still known if the first sync transferred none', async () => {
  const { disk, engine, row, restart } = await syncedNote('one\n', { isOnBoth: true });
  await engine.holds.hold('note.md', 'one\n');
  disk.userWrite('note.md', 'one\nhere\n');
  const again = await restart();
  again.holds.reserve([row.id]);
  assert.equal((await again.holds.hold('note.md', 'one\nhere\n'))?.text, 'one\n');
});
