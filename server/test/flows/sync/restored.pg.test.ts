import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Trash } from '../../../../cli/src/sync/disk/trash.ts';
import { putBack } from '../../../../cli/src/sync/run/restore-command.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { suiteFolder } from '../../kit/programs/process.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import { SyncMachine } from '../../kit/sync-machine.ts';

onEachEngine('a note from the trash of folder sync', (open) => {
  const folder = suiteFolder();
  let count = 0;

  /** Two devices with two notes that the second one has just deleted. */
  async function afterDeletion(server: TestServer): Promise<{ desk: SyncMachine; lap: SyncMachine }> {
    const key = (await server.alice.post('/api-keys', { name: 'sync' })).body.key as string;
    const vaultId = (await server.alice.post('/vaults', { name: 'Notes' })).body.vault.id as string;
    const home = folder.at(`world ${count++}`);
    const machine = (name: string) => new SyncMachine({ home: `${home}/${name}`, url: server.url, key, vaultId });
    const [desk, lap] = [machine('desk'), machine('lap')];
    for (const path of ['a.md', 'b.md', 'kept.md']) desk.put(path, `${path}\n`);
    await desk.sync();
    await lap.sync();
    for (const path of ['a.md', 'b.md']) lap.remove(path);
    await lap.sync();
    await desk.sync();
    assert.deepEqual([...desk.contents.keys()], ['kept.md']);
    return { desk, lap };
  }

  async function restore({ place, root }: SyncMachine, path: string): Promise<void> {
    using trash = await Trash.open(place);
    const [newest] = trash.list(path);
    assert.ok(newest !== undefined);
    await putBack(trash, newest, root, path);
  }

  it('is on the server and on the device that deleted it with the next syncs', async () => {
    await using server = await startServer({ open });
    const { desk, lap } = await afterDeletion(server);
    await restore(desk, 'a.md');
    assert.equal((await desk.sync()).done, 1);
    await lap.sync();
    assert.equal(lap.read('a.md'), 'a.md\n');
    assert.deepEqual(lap.contents, desk.contents);
  });

  it('is sent beside an echo of a deleted note, which waits', async () => {
    await using server = await startServer({ open });
    const { desk, lap } = await afterDeletion(server);
    // As a program writes it that still has the note open.
    desk.put('b.md', 'b.md\n');
    await restore(desk, 'a.md');
    const { unsynced } = await desk.sync(['b.md']);
    assert.match(unsynced[0]?.reason ?? '', /^was just deleted by another device/);
    await lap.sync();
    assert.deepEqual([...lap.contents.keys()], ['a.md', 'kept.md']);
  });

  it('is restored once: when it is deleted again, an echo of it waits', async () => {
    await using server = await startServer({ open });
    const { desk, lap } = await afterDeletion(server);
    await restore(desk, 'a.md');
    await desk.sync();
    await lap.sync();
    lap.remove('a.md');
    await lap.sync();
    await desk.sync();
    desk.put('a.md', 'a.md\n');
    await desk.sync(['a.md']);
  });

  it('is sent at once although the answer to its first request was lost', async () => {
    await using server = await startServer({ open });
    const { desk, lap } = await afterDeletion(server);
    await restore(desk, 'a.md');
    await desk.runCut();
    await desk.sync();
    await lap.sync();
    assert.deepEqual(
      lap.contents,
      new Map([
        ['a.md', 'a.md\n'],
        ['kept.md', 'kept.md\n'],
      ]),
    );
  });

  it('leaves what is at its path now as it is', async () => {
    await using server = await startServer({ open });
    const { desk, lap } = await afterDeletion(server);
    desk.put('a.md', 'a.md\n');
    await restore(desk, 'a.md');
    await desk.sync(['a.md']);
    await lap.sync();
    const [copy = '', ...others] = [...lap.contents.keys()];
    assert.match(copy, /^a \(restored .+\)\.md$/);
    assert.deepEqual(others, ['kept.md']);
  });
});
