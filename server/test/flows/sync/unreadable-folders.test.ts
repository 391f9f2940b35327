import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { it } from 'node:test';
import { onSqlite } from '../../kit/engines.ts';
import { suiteFolder } from '../../kit/programs/process.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import { SyncMachine } from '../../kit/sync-machine.ts';

/** Runs `work` while a folder cannot be listed by this user, whoever runs the tests. */
async function whileForbidden(folder: string, work: () => Promise<void>): Promise<void> {
  const { readdirSync } = fs;
  const forbidden = (at: fs.PathLike, ...rest: unknown[]) => {
    if (at !== folder) return Reflect.apply(readdirSync, fs, [at, ...rest]);
    throw Object.assign(new Error(`EACCES: permission denied, scandir '${folder}'`), { code: 'EACCES' });
  };
  fs.readdirSync = forbidden as typeof readdirSync;
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    fs.readdirSync = readdirSync;
    syncBuiltinESMExports();
  }
}

onSqlite('a sync of a folder with a part that cannot be read', (open) => {
  const folder = suiteFolder();

  async function machines(server: TestServer, name: string) {
    const key = (await server.alice.post('/api-keys', { name })).body.key as string;
    const vaultId = (await server.alice.post('/vaults', { name })).body.vault.id as string;
    const machine = (home: string) => new SyncMachine({ home: folder.at(name, home), url: server.url, key, vaultId });
    const [desk, lap] = [machine('desk'), machine('lap')];
    for (const path of ['top.md', 'moved.md', 'sub/a.md', 'sub/gone.md', 'sub/deep/b.png']) desk.put(path, `${path}\n`);
    await desk.sync();
    await lap.sync();
    return { desk, lap };
  }

  it('deletes and overwrites nothing that may be in it, syncs the rest, and goes on once it can be read', async () => {
    await using server = await startServer({ open });
    const { desk, lap } = await machines(server, 'Forbidden');
    await whileForbidden(desk.at('sub'), async () => {
      desk.move('moved.md', 'sub/moved.md');
      desk.put('top.md', 'edited here\n');
      lap.put('sub/a.md', 'edited there\n');
      lap.put('new.md', 'new there\n');
      lap.remove('sub/gone.md');
      await lap.sync();
      // Longer than it is waited for a file that is missing.
      for (let run = 0; run < 3; run++) {
        const { unsynced } = await desk.sync(['sub']);
        assert.match(unsynced[0]?.reason ?? '', /^cannot be read.*\.notevaultignore$/);
      }
      await lap.sync();
    });
    const paths = ['moved.md', 'new.md', 'sub/a.md', 'sub/deep/b.png', 'top.md'];
    assert.deepEqual([...lap.contents.keys()], paths, 'nothing was deleted there');
    assert.deepEqual([desk.read('new.md'), lap.read('top.md')], ['new there\n', 'edited here\n']);
    assert.deepEqual([desk.read('sub/a.md'), desk.read('sub/gone.md')], ['sub/a.md\n', 'sub/gone.md\n']);

    await desk.sync();
    assert.deepEqual(
      desk.requests.filter((request) => request.startsWith('POST')),
      ['POST /notes/rename'],
      'it is known as the same note',
    );
    await lap.sync();
    assert.deepEqual(desk.contents, lap.contents);
    assert.deepEqual([...lap.contents.keys()], ['new.md', 'sub/a.md', 'sub/deep/b.png', 'sub/moved.md', 'top.md']);
    assert.equal(desk.read('sub/a.md'), 'edited there\n');
  });

  it('goes on without a folder that .notevaultignore names', async () => {
    await using server = await startServer({ open });
    const { desk, lap } = await machines(server, 'Ignored');
    desk.put('.notevaultignore', 'sub/\n');
    await whileForbidden(desk.at('sub'), async () => {
      await desk.sync();
    });
    await lap.sync();
    assert.equal(lap.read('sub/a.md'), 'sub/a.md\n');
  });
});
