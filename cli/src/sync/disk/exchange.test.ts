import assert from 'node:assert/strict';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { DiskChanged, type DiskFile, DiskRefused } from '@notevault/sync/engine/ports.ts';
import { Folder } from '../../../../server/test/kit/programs/process.ts';
import { contentsOf } from '../../../../server/test/kit/sync-machine.ts';
import { NodeDisk } from './node-disk.ts';
import { Trash } from './trash.ts';

const CHANGES = ['linkSync', 'mkdirSync', 'openSync', 'renameSync', 'rmSync', 'rmdirSync', 'unlinkSync'] as const;

/** The program was killed: it changes nothing any more. */
class Killed extends Error {
  override readonly name = 'Killed';
}

describe('NodeDisk.moveMany', () => {
  let folder: Folder;
  let trash: Trash;
  const root = () => folder.at('vault');
  const at = (path: string) => folder.at('vault', path);
  const open = () => NodeDisk.open({ root: root(), trash });
  const put = (path: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), path);
  };
  const contents = () => Object.fromEntries(contentsOf(root()));
  /** Moves files by their paths. */
  const moveMany = async (disk: NodeDisk, moves: Readonly<Record<string, string>>): Promise<readonly DiskFile[]> => {
    const { files } = await disk.list();
    const entry = (path: string) => files.find((file) => file.path === path) as DiskFile;
    return disk.moveMany(Object.entries(moves).map(([from, to]) => ({ from: entry(from), to })));
  };
  /** Lets the program die before its next change once it has made so many. */
  const killAfter = (changes: number) => {
    let left = changes;
    for (const name of CHANGES) {
      const real = fs[name] as (...args: unknown[]) => unknown;
      mock.method(fs, name, (...args: unknown[]) => {
        if (left <= 0) throw new Killed();
        left -= 1;
        return real(...args);
      });
    }
    // What goes to the trash.
    mock.method(fsPromises, 'rename', () => Promise.reject(new Killed()));
    syncBuiltinESMExports();
  };
  const restore = () => {
    mock.restoreAll();
    syncBuiltinESMExports();
  };

  beforeEach(async () => {
    folder = new Folder();
    mkdirSync(root());
    mkdirSync(folder.at('state'));
    trash = await Trash.open(folder.at('state'));
  });
  afterEach(() => {
    restore();
    trash[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  it('files swap their names, go in circles and take the names of their folders, and keep their ids', async () => {
    for (const path of ['p.md', 'q.md', 'f/a.md', 'g/b.md', 'n.md/x.md', 'o.md']) put(path);
    mkdirSync(at('n.md/empty'));
    const disk = await open();
    const before = new Map((await disk.list()).files.map(({ path, fileId }) => [path, fileId]));
    const moved = await moveMany(disk, {
      ...{ 'p.md': 'q.md', 'q.md': 'f/a.md', 'f/a.md': 'p.md' },
      ...{ 'n.md/x.md': 'n.md', 'o.md': 'o.md/deep/y.md' },
    });
    const expected = {
      'q.md': 'p.md',
      'f/a.md': 'q.md',
      'p.md': 'f/a.md',
      'n.md': 'n.md/x.md',
      'o.md/deep/y.md': 'o.md',
    };
    assert.deepEqual(contents(), Object.fromEntries(Object.entries({ ...expected, 'g/b.md': 'g/b.md' }).sort()));
    const { files } = await disk.list();
    for (const [path, from] of Object.entries(expected)) {
      assert.equal(files.find((file) => file.path === path)?.fileId, before.get(from), path);
      assert.ok(moved.some((file) => file.path === path && file.fileId === before.get(from)));
    }
    assert.deepEqual(readdirSync(at('.notevault/tmp')), []);
  });

  it('a program killed at any step has exchanged all names or none after a restart, and trashed nothing', async () => {
    const before = { 'f/q.md': 'f/q.md', 'o.md': 'o.md', 'p.md': 'p.md', 'r.md': 'r.md' };
    const after = { 'f/q.md': 'p.md', 'o.md/y.md': 'o.md', 'p.md': 'r.md', 'r.md': 'f/q.md' };
    for (let changes = 0; ; changes++) {
      for (const path of readdirSync(root())) if (path !== '.notevault') fs.rmSync(at(path), { recursive: true });
      for (const path of Object.keys(before)) put(path);
      const disk = await open();
      await disk.list();
      killAfter(changes);
      const moves = { 'p.md': 'f/q.md', 'f/q.md': 'r.md', 'r.md': 'p.md', 'o.md': 'o.md/y.md' };
      const isKilled = await moveMany(disk, moves).then(
        () => false,
        (error) => error instanceof Killed,
      );
      restore();
      // The next start is killed too, and the one after it is not.
      killAfter(changes % 5);
      await open().catch(() => undefined);
      restore();
      await open();
      const message = `after ${changes} changes`;
      assert.deepEqual(contents(), isKilled ? before : after, message);
      assert.deepEqual([readdirSync(at('.notevault/tmp')), trash.list()], [[], []], message);
      if (!isKilled) break;
      assert.ok(changes < 100);
    }
  });

  it('an exchange moves nothing if a file changed, a name is taken or a folder has unsynced files', async () => {
    for (const path of ['p.md', 'q.md', 'taken.md', 'n.md/x.md', 'n.md/.hidden']) put(path);
    const disk = await open();
    const before = contents();
    await assert.rejects(moveMany(disk, { 'p.md': 'q.md', 'q.md': 'taken.md' }), DiskChanged);
    await assert.rejects(moveMany(disk, { 'n.md/x.md': 'n.md', 'p.md': 'q.md', 'q.md': 'p.md' }), DiskRefused);
    const { files } = await disk.list();
    const swap = ['p.md', 'q.md'].map((path, index, paths) => ({
      from: files.find((file) => file.path === path) as DiskFile,
      to: paths[1 - index] ?? '',
    }));
    writeFileSync(at('q.md'), 'edited meanwhile');
    await assert.rejects(disk.moveMany(swap), DiskChanged);
    assert.deepEqual(contents(), { ...before, 'q.md': 'edited meanwhile' });
    assert.ok(existsSync(at('n.md/.hidden')));
    assert.deepEqual(readdirSync(at('.notevault/tmp')), []);
    assert.equal(readFileSync(at('p.md'), 'utf8'), 'p.md');
  });
});
