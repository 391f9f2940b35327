import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { DiskChanged, type DiskFile, DiskRefused, FolderGone } from '@notevault/sync/engine/ports.ts';
import { Folder } from '../../../../server/test/kit/process.ts';
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
  /** Replaces a file by another one of the same size and times, as a program does that restores a backup. */
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
    trash[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  it('keeps a file that another program writes between the two looks before it is replaced', async () => {
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

  it('keeps a file that another program writes while the listed one goes to the trash', async () => {
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

  it('reads, moves and deletes nothing in a folder that was moved away and replaced by a link', async () => {
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

  it('reads and sends nothing through a link to the very file that was listed, when its folder was moved out', async () => {
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

  it('does not read a file that is written while it is read', async () => {
    put('a.md', 'old');
    const disk = await open();
    const file = await listed(disk, 'a.md');
    put('a.md', 'longer');
    assert.equal(await disk.readBytes(file), null);
  });

  it('moves no folder over an empty one or over a file', async () => {
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
