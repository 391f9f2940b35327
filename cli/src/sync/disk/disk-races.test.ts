import assert from 'node:assert/strict';
import fs, {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { DiskChanged, type DiskFile, DiskRefused, FolderGone } from '@notevault/sync/engine/ports.ts';
import { isAlike } from '@notevault/sync/engine/sync-state.ts';
import { Folder } from '../../../../server/test/kit/programs/process.ts';
import { FreeRoom } from './file-system.ts';
import { NodeDisk } from './node-disk.ts';
import { Trash } from './trash.ts';

async function* once(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const contentOf = (text: string) => ({ bytes: once(text), size: text.length, mtime: 1 });

it('FreeRoom lets nothing be written that would leave less than a hundredth of the disk free', async () => {
  using folder = new Folder();
  const room = new FreeRoom(folder.path);
  await room.require(1000);
  await assert.rejects(room.require(2 ** 60), FolderGone);
});

/** Other programs change the folder between the listing and a change of ours, or between two steps of it. */
describe('NodeDisk beside other programs', () => {
  let folder: Folder;
  let trash: Trash;
  const at = (path: string) => folder.at('vault', path);
  const open = () => NodeDisk.open({ root: folder.at('vault'), trash });
  const put = (path: string, text: string) => {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), text);
  };
  const read = (path: string) => readFileSync(at(path), 'utf8');
  const listed = async (disk: NodeDisk, path: string): Promise<DiskFile> => {
    const found = (await disk.list()).files.find((file) => file.path === path);
    assert.ok(found, path);
    return found;
  };
  /** Replaces a file by another of the same size and times, as a program that restores a backup does. */
  const swap = (path: string, text: string) => {
    const { mtimeMs } = statSync(at(path));
    writeFileSync(at('other.tmp'), text);
    utimesSync(at('other.tmp'), 1, mtimeMs / 1000);
    renameSync(at('other.tmp'), at(path));
  };
  /** Runs `act` in the middle of the next change that puts a file into the trash. */
  const meanwhile = (act: () => void) => {
    const newId = trash.newId.bind(trash);
    trash.newId = () => {
      trash.newId = newId;
      act();
      return newId();
    };
  };
  /** Runs `act` right before the next system call that renames or unlinks a file at or to `path`. */
  const beforeRename = (path: string, act: () => void) => {
    const isHere = (args: readonly unknown[]) => args.some((arg) => arg === path);
    const actOnce = (args: readonly unknown[]) => {
      if (!isHere(args)) return;
      unpatched();
      act();
    };
    const patch = <Call extends (...args: never[]) => unknown>(call: Call) =>
      ((...args: Parameters<Call>) => {
        actOnce(args);
        return call(...args);
      }) as Call;
    for (const name of ['renameSync', 'unlinkSync'] as const) mock.method(fs, name, patch(fs[name]));
    for (const name of ['rename', 'unlink'] as const) mock.method(fsPromises, name, patch(fsPromises[name]));
    syncBuiltinESMExports();
  };
  const unpatched = () => {
    mock.restoreAll();
    syncBuiltinESMExports();
  };
  /** Moves a folder out of the vault, and puts a link in its place: its files are the same as before. */
  const moveOut = (path: string) => {
    renameSync(at(path), folder.at('outside'));
    symlinkSync(folder.at('outside'), at(path));
  };

  beforeEach(async () => {
    folder = new Folder();
    for (const name of ['vault', 'state']) mkdirSync(folder.at(name));
    trash = await Trash.open(folder.at('state'));
  });
  afterEach(() => {
    unpatched();
    trash[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  it('NodeDisk keeps a file that another program writes between the two looks before it is replaced', async () => {
    put('a.md', 'old');
    const disk = await open();
    const file = await listed(disk, 'a.md');
    meanwhile(() => {
      rmSync(at('a.md'));
      put('a.md', 'written meanwhile');
    });
    await assert.rejects(disk.write('a.md', contentOf('ours'), file), DiskChanged);
    assert.equal(read('a.md'), 'written meanwhile');
  });

  it('NodeDisk keeps a file that another program puts there right before it is replaced', async () => {
    put('a.md', 'old');
    const disk = await open();
    const file = await listed(disk, 'a.md');
    beforeRename(at('a.md'), () => swap('a.md', 'new'));
    await assert.rejects(disk.write('a.md', contentOf('ours'), file), DiskChanged);
    assert.equal(read('a.md'), 'new');
    assert.deepEqual(readdirSync(at('.notevault/tmp')), []);
  });

  it('NodeDisk keeps what another program writes into a file right before it is replaced', async () => {
    put('a.md', 'old');
    const disk = await open();
    const file = await listed(disk, 'a.md');
    beforeRename(at('a.md'), () => appendFileSync(at('a.md'), ' and new'));
    await assert.rejects(disk.write('a.md', contentOf('ours'), file), DiskChanged);
    assert.equal(read('a.md'), 'old and new');
  });

  it('NodeDisk keeps both files when another program puts one where a file is just moved from', async () => {
    put('a.md', 'old');
    const disk = await open();
    const file = await listed(disk, 'a.md');
    beforeRename(at('a.md'), () => swap('a.md', 'new'));
    await disk.move(file, 'b.md');
    assert.deepEqual([read('a.md'), read('b.md')], ['new', 'old']);
  });

  it('NodeDisk does not claim a write or move of its own after another program has changed the file', async () => {
    put('a.md', 'old');
    const disk = await open();
    const file = await listed(disk, 'a.md');
    beforeRename(at('a.md'), () => appendFileSync(at('a.md'), '!'));
    assert.ok(!isAlike(await disk.move(file, 'b.md'), await listed(disk, 'b.md')));
    const add = trash.add.bind(trash);
    trash.add = async (...args) => {
      appendFileSync(at('b.md'), '!');
      await add(...args);
    };
    const written = await disk.write('b.md', contentOf('ours'), await listed(disk, 'b.md'));
    assert.equal(read('b.md'), 'ours!');
    assert.ok(!isAlike(written, await listed(disk, 'b.md')));
  });

  it('NodeDisk restores a file that a killed run had moved away to replace it, if its path is free', async () => {
    await open();
    const takenAway = (path: string, id: string) => {
      put(path, 'old');
      trash.expect({ id, path, reason: 'overwritten', size: 3, mtime: 1 });
      renameSync(at(path), at(`.notevault/tmp/old-${id}`));
    };
    takenAway('f/a.md', '1');
    takenAway('b.md', '2');
    put('b.md', 'new');
    await open();
    assert.deepEqual([read('f/a.md'), read('b.md'), readdirSync(at('.notevault/tmp'))], ['old', 'new', []]);
    const [kept, ...others] = trash.list();
    assert.deepEqual([kept?.path, kept?.reason, others], ['b.md', 'overwritten', []]);
  });

  it('NodeDisk removes the second name of a file that a killed run was moving', async () => {
    put('b.md', 'text');
    await open();
    linkSync(at('b.md'), at('.notevault/tmp/old-1'));
    const disk = await open();
    assert.deepEqual([readdirSync(at('.notevault/tmp')), trash.list()], [[], []]);
    assert.notEqual((await listed(disk, 'b.md')).fileId, null);
  });

  it('NodeDisk reports a new file’s id before renaming it, and writes nothing if the id cannot be stored', async () => {
    put('old.md', 'old');
    const disk = await open();
    for (const [path, over] of [
      ['new.md', null],
      ['old.md', await listed(disk, 'old.md')],
    ] as const) {
      const before = over === null ? [] : ['old.md'];
      const fails = disk.write(path, contentOf('text'), over, () => Promise.reject(new Error('not stored')));
      await assert.rejects(fails, /not stored/);
      assert.deepEqual(
        [readdirSync(at('.notevault/tmp')), readdirSync(at('.')).includes(path)],
        [[], before.length > 0],
      );
      let told: string | null = null;
      const written = await disk.write(path, contentOf('text'), over, async (fileId) => {
        told = fileId;
      });
      assert.equal(written.fileId, told);
      assert.notEqual(told, over?.fileId ?? null);
    }
  });

  it('NodeDisk keeps a file that another program writes while the listed one goes to the trash', async () => {
    put('a.md', 'old');
    const disk = await open();
    const file = await listed(disk, 'a.md');
    meanwhile(() => {
      rmSync(at('a.md'));
      put('a.md', 'written meanwhile');
    });
    await assert.rejects(disk.trash(file), DiskChanged);
    assert.equal(read('a.md'), 'written meanwhile');
  });

  it('neither deletes nor moves a file that was replaced by one of the same size and time', async () => {
    put('a.md', 'old');
    utimesSync(at('a.md'), 1, 1_000_000_000);
    const disk = await open();
    const file = await listed(disk, 'a.md');
    swap('a.md', 'new');
    await assert.rejects(disk.trash(file), DiskChanged);
    await assert.rejects(disk.move(file, 'b.md'), DiskChanged);
    assert.equal(read('a.md'), 'new');
    assert.equal(await disk.readBytes(file), null);
  });

  it('NodeDisk reads, moves and deletes nothing in a folder that was moved away and replaced by a link', async () => {
    put('f/a.md', 'text');
    const disk = await open();
    const file = await listed(disk, 'f/a.md');
    moveOut('f');
    assert.equal(await disk.readBytes(file), null);
    await assert.rejects(disk.move(file, 'b.md'), DiskRefused);
    await assert.rejects(disk.trash(file), DiskRefused);
    await assert.rejects(disk.moveFolder('f', 'g'), DiskChanged);
    await assert.rejects(disk.removeFolder('f/g'), DiskRefused);
    assert.equal(readFileSync(folder.at('outside/a.md'), 'utf8'), 'text');
  });

  it('NodeDisk reads nothing through a link to the listed file after the file’s folder was moved out', async () => {
    put('f/a.md', 'text');
    const disk = await open();
    const file = await listed(disk, 'f/a.md');
    renameSync(at('f'), folder.at('outside'));
    mkdirSync(at('f'));
    symlinkSync(folder.at('outside/a.md'), at('f/a.md'));
    assert.equal(await disk.readBytes(file), null);
    await assert.rejects(async () => {
      for await (const _ of disk.read(file));
    }, DiskChanged);
  });

  it('NodeDisk does not read a file that is written while it is read', async () => {
    put('a.md', 'old');
    const disk = await open();
    const file = await listed(disk, 'a.md');
    put('a.md', 'longer');
    assert.equal(await disk.readBytes(file), null);
  });

  it('NodeDisk moves no folder over an empty one or over a file', async () => {
    put('f/a.md', 'text');
    put('file', 'x');
    mkdirSync(at('empty'));
    const disk = await open();
    await disk.list();
    await assert.rejects(disk.moveFolder('f', 'empty'), DiskChanged);
    await assert.rejects(disk.moveFolder('f', 'file'), DiskChanged);
    assert.equal(read('f/a.md'), 'text');
  });
});
