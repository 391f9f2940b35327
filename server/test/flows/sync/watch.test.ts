import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fixedToken } from '@notevault/client/tokens.ts';
import type { Clock } from '@notevault/sync/engine/ports.ts';
import { Approval } from '@notevault/sync/plan/approval.ts';
import type { FolderSync } from '../../../../cli/src/sync/run/folder-sync.ts';
import { FolderRegistry } from '../../../../cli/src/sync/state/folder-registry.ts';
import { readStatus } from '../../../../cli/src/sync/state/status-file.ts';
import { type WatchOptions, watchFolder } from '../../../../cli/src/sync/watch/watch-folder.ts';
import { type TestClock, testClock } from '../../kit/clock.ts';
import { onSqlite } from '../../kit/engines.ts';
import { suiteFolder } from '../../kit/programs/process.ts';
import { ScriptedWatch } from '../../kit/scripted-watch.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import { SyncMachine } from '../../kit/sync-machine.ts';
import { until } from '../../kit/until.ts';

onSqlite('a folder that is watched', (open) => {
  const folder = suiteFolder();

  async function machineOf(server: TestServer, home: string) {
    const key = (await server.alice.post('/api-keys', { name: home })).body.key as string;
    const vaultId = (await server.alice.post('/vaults', { name: home })).body.vault.id as string;
    const machine = new SyncMachine({ home: folder.at(home), url: server.url, key, vaultId });
    const textOf = async (path: string) =>
      (await server.bearer(key).get(`/notes/${path}`, { 'x-vault-id': vaultId })).body.content as string | undefined;
    const write = (path: string, content: string) =>
      server.bearer(key).post('/notes', { path, content, mtime: 1 }, { 'x-vault-id': vaultId });
    return { machine, key, vaultId, textOf, write };
  }

  /** Watches while `work` runs. */
  async function watching(
    { machine, key, vaultId }: Awaited<ReturnType<typeof machineOf>>,
    options: Pick<WatchOptions, 'watch' | 'blindMs' | 'clock' | 'approval'>,
    work: (sync: FolderSync) => Promise<void>,
  ): Promise<void> {
    const { record } = machine;
    const stop = new AbortController();
    const reporter = {
      ...{ planned: () => undefined, operation: () => undefined, preview: () => undefined },
      ...{ result: () => undefined, note: () => undefined },
    };
    await machine.open(async (sync) => {
      const access = { url: record.url, vaultId, vaultName: 'Notes', tokens: fixedToken(key) };
      const registry = new FolderRegistry(machine.place);
      const running = watchFolder({
        ...{ sync, record, registry, access, reporter, signal: stop.signal },
        ...options,
      });
      try {
        await Promise.race([work(sync), running]);
      } finally {
        stop.abort();
        await running;
      }
    });
  }

  it('sends what is written in it, and receives what others write, also in new folders', async () => {
    await using server = await startServer({ open });
    const world = await machineOf(server, 'both');
    const { machine, textOf, write } = world;
    machine.put('a.md', 'one\n');
    await watching(world, {}, async () => {
      await until(async () => (await textOf('a.md')) === 'one\n', 'the first sync');
      machine.put('a.md', 'one\ntwo\n');
      await until(async () => (await textOf('a.md')) === 'one\ntwo\n', 'the edit');
      machine.put('new/deep/b.md', 'three\n');
      await until(async () => (await textOf('new/deep/b.md')) === 'three\n', 'the note in a new folder');
      await write('new/deep/b.md', 'four\n');
      await until(() => machine.contents.get('new/deep/b.md') === 'four\n', 'the edit of another client');
      machine.move('new', 'old');
      await until(async () => (await textOf('old/deep/b.md')) === 'four\n', 'the moved folder');
      machine.remove('old');
      await until(async () => (await textOf('old/deep/b.md')) === undefined, 'the deletion');
      await until(async () => (await readStatus(machine.place))?.watching === 'watched', 'the status');
    });
  });

  it('asks before it deletes many files, also after a first sync that needed no answer', async () => {
    await using server = await startServer({ open });
    const world = await machineOf(server, 'approved');
    const { machine, textOf } = world;
    for (let at = 0; at < 10; at++) machine.put(`${at}.md`, `${at}\n`);
    await machine.run();
    await watching(world, { approval: new Approval() }, async () => {
      await until(async () => (await readStatus(machine.place))?.watching === 'watched', 'the first sync');
      for (let at = 0; at < 9; at++) machine.remove(`${at}.md`);
      await until(async () => (await readStatus(machine.place))?.brakes[0]?.files === 9, 'the brake');
      assert.equal(await textOf('0.md'), '0\n');
    });
  });

  it('is compared from time to time where changes cannot be noticed, and its status says why', async () => {
    await using server = await startServer({ open });
    const world = await machineOf(server, 'blind');
    const scripted = new ScriptedWatch();
    await watching(world, { watch: scripted.watch, blindMs: 50 }, async () => {
      await scripted.begun;
      scripted.fail('ENOSPC');
      world.machine.put('a.md', 'one\n');
      await until(async () => (await world.textOf('a.md')) === 'one\n', 'the note');
      world.machine.put('b.md', 'two\n');
      await until(async () => (await world.textOf('b.md')) === 'two\n', 'the second note');
      const status = async () => (await readStatus(world.machine.place))?.watching ?? '';
      const reason = 'compared every 0.05 s, because the system has no more inotify watches';
      await until(async () => (await status()).startsWith(reason), 'the reason');
    });
  });

  it('is listed completely once it has come to rest, because reports may have been lost', async () => {
    await using server = await startServer({ open });
    const world = await machineOf(server, 'lossy');
    const { machine, textOf } = world;
    const scripted = new ScriptedWatch();
    machine.put('a.md', 'one\n');
    machine.put('f/b.md', 'two\n');
    await watching(world, { watch: scripted.watch }, async () => {
      await scripted.begun;
      scripted.ready();
      await until(async () => (await textOf('f/b.md')) === 'two\n', 'the first sync');
      machine.put('f/b.md', 'two\nmore\n');
      machine.put('a.md', 'one\nmore\n');
      // Of two changes one is reported.
      scripted.change(machine.root, 'a.md');
      await until(async () => (await textOf('a.md')) === 'one\nmore\n', 'the reported change');
      await until(async () => (await textOf('f/b.md')) === 'two\nmore\n', 'the lost change');
    });
  });

  it('is listed completely within five quarters of an hour although nothing was reported', async () => {
    await using server = await startServer({ open });
    const world = await machineOf(server, 'hourly');
    const { machine, textOf, write } = world;
    const scripted = new ScriptedWatch();
    const time = testClock();
    machine.put('f/a.md', 'one\n');
    await watching(world, { watch: scripted.watch, clock: clockOf(time) }, async ({ disk }) => {
      await scripted.begun;
      scripted.ready();
      await until(async () => (await textOf('f/a.md')) === 'one\n', 'the first sync');
      await write('there.md', 'there\n');
      await until(() => machine.contents.has('there.md'), 'a run while it is watched');
      const takes: (ReadonlySet<string> | null)[] = [];
      const take = disk.changes.take.bind(disk.changes);
      disk.changes.take = () => {
        const taken = take();
        takes.push(taken);
        return taken;
      };
      machine.put('f/a.md', 'one\nunreported\n');
      await write('there.md', 'there\nagain\n');
      await until(() => machine.contents.get('there.md') === 'there\nagain\n', 'a run because of the server');
      assert.ok(takes.length > 0 && !takes.includes(null), 'that run looked at what was reported');
      assert.equal(await textOf('f/a.md'), 'one\n');
      await until(() => time.scheduled > 0, 'a pause');
      time.advance({ minutes: 75 });
      await until(async () => (await textOf('f/a.md')) === 'one\nunreported\n', 'what was not reported');
    });
  });
});

/** The clock of the engine over one that moves when it is told to. */
function clockOf(time: TestClock): Clock {
  const sleep = (ms: number, signal?: AbortSignal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = time.schedule(ms, resolve);
    signal?.addEventListener('abort', () => {
      timer[Symbol.dispose]();
      resolve();
    });
    return promise;
  };
  return { now: () => time.now(), ticks: () => time.elapsed(), sleep, uuid: () => time.uuid() };
}
