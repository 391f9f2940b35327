import assert from 'node:assert/strict';
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { it } from 'node:test';
import { isConflictPath } from '@notevault/sync/plan/names.ts';
import { onSqlite } from '../../kit/engines.ts';
import { suiteFolder } from '../../kit/programs/process.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import { SyncMachine } from '../../kit/sync-machine.ts';
import { until } from '../../kit/until.ts';

onSqlite('a program that has a file open while folder sync replaces it', (open) => {
  const folder = suiteFolder();
  let count = 0;

  /** Two machines with one file, which the desk's program opens before the lap changes it. */
  async function opened(server: TestServer, path: string, flags: string) {
    const key = (await server.alice.post('/api-keys', { name: 'sync' })).body.key as string;
    const { id: vaultId } = (await server.alice.post('/vaults', { name: 'Notes' })).body.vault;
    const home = folder.at(`world ${count++}`);
    const machine = (name: string) => new SyncMachine({ home: `${home}/${name}`, url: server.url, key, vaultId });
    const [desk, lap] = [machine('desk'), machine('lap')];
    desk.put(path, 'base\n');
    await desk.sync();
    await lap.sync();
    const handle = openSync(desk.at(path), flags);
    lap.put(path, 'base\nlap\n');
    await lap.sync();
    const write = (text: string) => {
      ftruncateSync(handle);
      writeSync(handle, text, 0);
      closeSync(handle);
    };
    return { desk, lap, write };
  }

  for (const flags of ['r+', 'w']) {
    it(`a program with an open file writes into the note when opened with ${flags}; the other edit is kept`, async () => {
      await using server = await startServer({ open });
      const { desk, lap, write } = await opened(server, 'a.md', flags);
      await desk.open(async ({ engine, disk }) => {
        await engine.sync();
        let noticed = false;
        disk.onLateWrite(() => {
          noticed = true;
        });
        write('base\ndesk\n');
        await until(() => noticed, 'the notice of it');
        await engine.sync();
      });
      await lap.sync();
      assert.deepEqual(lap.contents, desk.contents);
      assert.deepEqual([...desk.contents.keys()], ['a.md']);
      assert.deepEqual(desk.read('a.md').trim().split('\n').sort(), ['base', 'desk', 'lap']);
    });
  }

  it('a program with an open file has its text in a copy when the note changed, and always for attachments', async () => {
    await using server = await startServer({ open });
    for (const path of ['a.md', 'p.txt']) {
      const { desk, lap, write } = await opened(server, path, 'r+');
      await desk.open(async ({ engine }) => {
        await engine.sync();
        if (path === 'a.md') desk.put(path, 'base\nlap\nmore\n');
        write('base\ndesk\n');
        await engine.sync();
      });
      await lap.sync();
      assert.deepEqual(lap.contents, desk.contents);
      const copy = [...desk.contents.keys()].find(isConflictPath);
      assert.equal(desk.contents.get(copy ?? ''), 'base\ndesk\n');
      assert.equal(desk.contents.get(path), path === 'a.md' ? 'base\nlap\nmore\n' : 'base\nlap\n');
    }
  });
});
