import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
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
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { DiskChanged, type DiskFile, DiskRefused, type FileContent, FolderGone } from '@notevault/sync/engine/ports.ts';
import { Folder } from '../../../../server/test/kit/programs/process.ts';
import { NodeDisk, type NodeDiskOptions } from './node-disk.ts';
import { Trash } from './trash.ts';

async function* once(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const MTIME = 1_700_000_000.25;
const contentOf = (text: string): FileContent => ({
  bytes: once(text),
  size: Buffer.byteLength(text),
  mtime: MTIME,
});

describe('NodeDisk', () => {
  let folder: Folder;
  let trash: Trash;
  const root = () => folder.at('vault');
  const at = (path: string) => join(root(), path);
  const open = (options: Partial<NodeDiskOptions> = {}) => NodeDisk.open({ root: root(), trash, ...options });
  const put = (path: string, text: string) => {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), text);
  };
  const listed = async (disk: NodeDisk, path: string): Promise<DiskFile> => {
    const found = (await disk.list()).files.find((file) => file.path === path);
    assert.ok(found, `${path} is not listed`);
    return found;
  };

  beforeEach(async () => {
    folder = new Folder();
    mkdirSync(root());
    mkdirSync(folder.at('state'));
    trash = await Trash.open(folder.at('state'));
  });
  afterEach(() => {
    trash[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  it('NodeDisk lists no hidden, ignored or linked files, and reports what it leaves out with the reason', async () => {
    for (const path of [
      'a.md',
      'f/b.png',
      '.git/config',
      '.obsidian/app.json',
      'f/~$x.docx',
      'out/x.md',
      'keep.log',
      'b.log',
    ])
      put(path, path);
    mkdirSync(at('empty'));
    writeFileSync(folder.at('secret'), 'outside');
    symlinkSync(folder.at('secret'), at('link.md'));
    symlinkSync(folder.path, at('linked'));
    execFileSync('mkfifo', [at('pipe')]);
    writeFileSync(at('back\\slash.md'), 'x');
    writeFileSync(at('.notevaultignore'), '# no logs\n*.log\n!keep.log\nout/\n');
    const { files, folders, skipped } = await (await open()).list();
    assert.deepEqual(files.map(({ path }) => path).sort(), ['a.md', 'f/b.png', 'keep.log']);
    assert.deepEqual([...folders].sort(), ['empty', 'f']);
    assert.deepEqual(Object.fromEntries(skipped.map(({ path, reason }) => [path, reason])), {
      'link.md': 'is a link, which is not synced',
      linked: 'is a link, which is not synced',
      pipe: 'is no regular file',
      'back\\slash.md': 'has a backslash in its name',
    });
  });

  it('NodeDisk shows names in NFC and never rewrites how the disk spells them', async () => {
    const [nfd, nfc] = ['u\u0308ber/e\u0301.md', '\u00fcber/\u00e9.md'];
    put(nfd, 'one');
    const disk = await open();
    const file = await listed(disk, nfc);
    assert.equal(String(await disk.readBytes(file)), 'one');
    await disk.write(nfc, contentOf('two'), file);
    await disk.write('\u00fcber/new.md', contentOf('three'), null);
    assert.deepEqual(
      readdirSync(root()).filter((name) => !name.startsWith('.')),
      ['u\u0308ber'],
    );
    assert.deepEqual(readdirSync(at('u\u0308ber')).sort(), ['e\u0301.md', 'new.md']);
    assert.equal(readFileSync(at(nfd), 'utf8'), 'two');
    writeFileSync(at('u\u0308ber/\u00e9.md'), 'a twin');
    const { skipped } = await disk.list();
    assert.deepEqual(
      skipped.map(({ path }) => path),
      [nfc],
    );
  });

  it('NodeDisk writes a new file with its parents and its time, and never over another', async () => {
    const disk = await open();
    const written = await disk.write('f/g/a.md', contentOf('text'), null);
    assert.deepEqual(written, await listed(disk, 'f/g/a.md'));
    assert.equal(statSync(at('f/g/a.md')).mtimeMs, MTIME * 1000);
    await assert.rejects(disk.write('f/g/a.md', contentOf('other'), null), DiskChanged);
    await assert.rejects(disk.write('f/g/a.md/b.md', contentOf('other'), null), DiskChanged);
    assert.equal(readFileSync(at('f/g/a.md'), 'utf8'), 'text');
    await disk.flush();
  });

  it('NodeDisk writes many files into a new folder at once', async () => {
    const disk = await open();
    const paths = Array.from({ length: 20 }, (_, index) => `f/g/${index}.md`);
    await Promise.all(paths.map((path) => disk.write(path, contentOf(path), null)));
    assert.deepEqual((await disk.list()).files.map(({ path }) => path).sort(), paths.sort());
  });

  it('NodeDisk replaces only an unchanged file, keeps its mode, and moves the old content to the trash', async () => {
    put('a.md', 'old');
    execFileSync('chmod', ['640', at('a.md')]);
    const disk = await open();
    const file = await listed(disk, 'a.md');
    await disk.write('a.md', contentOf('new'), file);
    assert.equal(readFileSync(at('a.md'), 'utf8'), 'new');
    assert.equal(statSync(at('a.md')).mode & 0o777, 0o640);
    const [kept] = trash.list('a.md');
    assert.equal(kept && readFileSync(trash.fileOf(kept.id), 'utf8'), 'old');
    await assert.rejects(disk.write('a.md', contentOf('newer'), file), DiskChanged);
    assert.equal(readFileSync(at('a.md'), 'utf8'), 'new');
    assert.equal(trash.list().length, 1);
  });

  it('NodeDisk does not replace a file that changes meanwhile, even if its time and size stay the same', async () => {
    put('a.md', 'old');
    const disk = await open();
    const file = await listed(disk, 'a.md');
    const bytes = async function* () {
      writeFileSync(at('a.md'), 'own');
      utimesSync(at('a.md'), file.mtimeMs / 1000, file.mtimeMs / 1000);
      yield* once('new');
    };
    await assert.rejects(disk.write('a.md', { ...contentOf('new'), bytes: bytes() }, file), DiskChanged);
    assert.equal(readFileSync(at('a.md'), 'utf8'), 'own');
  });

  it('NodeDisk writes nothing when the bytes end with an error, and leaves nothing behind', async () => {
    put('a.md', 'old');
    const disk = await open();
    const broken = async function* () {
      yield* once('new');
      throw new DiskRefused('was sent with other bytes');
    };
    const content = () => ({ ...contentOf('new'), bytes: broken() });
    await assert.rejects(disk.write('a.md', content(), await listed(disk, 'a.md')), DiskRefused);
    await assert.rejects(disk.write('b.md', content(), null), DiskRefused);
    assert.deepEqual([readdirSync(at('.notevault/tmp')), readdirSync(root()).sort()], [[], ['.notevault', 'a.md']]);
    assert.equal(readFileSync(at('a.md'), 'utf8'), 'old');
  });

  it('NodeDisk writes, moves and makes nothing through a link, also when it appears while the bytes arrive', async () => {
    mkdirSync(folder.at('outside'));
    symlinkSync(folder.at('outside'), at('out'));
    put('a.md', 'a');
    put('in/b.md', 'b');
    const disk = await open();
    const file = await listed(disk, 'a.md');
    await assert.rejects(disk.write('out/x.md', contentOf('x'), null), DiskRefused);
    await assert.rejects(disk.write('out/deep/x.md', contentOf('x'), null), DiskRefused);
    await assert.rejects(disk.move(file, 'out/x.md'), DiskRefused);
    await assert.rejects(disk.moveFolder('in', 'out/in'), DiskRefused);
    await assert.rejects(disk.makeFolder('out/new'), DiskRefused);
    const bytes = async function* () {
      renameSync(at('in'), at('was'));
      symlinkSync(folder.at('outside'), at('in'));
      yield* once('x');
    };
    await assert.rejects(disk.write('in/x.md', { ...contentOf('x'), bytes: bytes() }, null), DiskRefused);
    symlinkSync(folder.at('outside/target'), at('link.md'));
    await assert.rejects(disk.write('link.md', contentOf('x'), null), DiskChanged);
    assert.deepEqual(readdirSync(folder.at('outside')), []);
  });

  it('NodeDisk reads nothing through a link that replaced a file or a folder', async () => {
    mkdirSync(folder.at('outside'));
    writeFileSync(folder.at('outside/a.md'), 'secret');
    put('f/a.md', 'secret');
    put('b.md', 'secret');
    const disk = await open();
    const [inside, direct] = [await listed(disk, 'f/a.md'), await listed(disk, 'b.md')];
    rmSync(at('f'), { recursive: true });
    symlinkSync(folder.at('outside'), at('f'));
    rmSync(at('b.md'));
    symlinkSync(folder.at('outside/a.md'), at('b.md'));
    for (const file of [inside, direct]) {
      assert.equal(await disk.readBytes(file), null);
      await assert.rejects(async () => {
        for await (const _ of disk.read(file));
      }, DiskChanged);
    }
  });

  it('NodeDisk refuses files without write permission as denied, before their content is downloaded', () => {
    put('locked/a.md', 'a\n');
    for (const path of [folder.path, root()]) chmodSync(path, 0o755);
    const sources = ['disk-errors.ts', 'real-parents.ts'].map((name) => join(import.meta.dirname, name));
    const script = `
      const [{ onDisk }, { requireWritableParent }] = await Promise.all(${JSON.stringify(sources)}.map((path) => import(path)));
      for (const path of ['locked/new.md', 'locked/new/deep.md'])
        await onDisk(() => requireWritableParent(${JSON.stringify(root())}, path)).then(
          () => console.log('writable'),
          ({ name, message, isDenied }) => console.log(name, message, isDenied),
        );`;
    // Root may write anywhere, another user nowhere where all may only read.
    const uid = process.getuid?.() === 0 ? 65_534 : process.getuid?.();
    const said = () => {
      const options = { encoding: 'utf8', ...(uid !== undefined && { uid }) } as const;
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], options);
      return (stdout + stderr).trim().split('\n');
    };
    chmodSync(at('locked'), 0o555);
    const refused = 'DiskRefused cannot be changed by this user true';
    assert.deepEqual(said(), [refused, refused]);
    chmodSync(at('locked'), 0o777);
    assert.deepEqual(said(), ['writable', 'writable']);
  });

  it('NodeDisk refuses to work when its own hidden place is a link', async () => {
    mkdirSync(folder.at('outside'));
    symlinkSync(folder.at('outside'), at('.notevault'));
    await assert.rejects(open(), FolderGone);
    rmSync(at('.notevault'));
    const disk = await open();
    rmSync(at('.notevault'), { recursive: true });
    symlinkSync(folder.at('outside'), at('.notevault'));
    await assert.rejects(disk.write('a.md', contentOf('x'), null), FolderGone);
    assert.deepEqual(readdirSync(folder.at('outside')), []);
  });

  it('NodeDisk moves a file to a free path only, keeps its time, and recognises it afterwards', async () => {
    put('a.md', 'a');
    put('taken.md', 'b');
    const disk = await open();
    const file = await listed(disk, 'a.md');
    await assert.rejects(disk.move(file, 'taken.md'), DiskChanged);
    assert.equal(readFileSync(at('taken.md'), 'utf8'), 'b');
    const moved = await disk.move(file, 'f/A.md');
    assert.deepEqual([moved.fileId, moved.mtimeMs, moved.path], [file.fileId, file.mtimeMs, 'f/A.md']);
    assert.notEqual(file.fileId, null);
    assert.deepEqual(moved, await listed(disk, 'f/A.md'));
    assert.ok(!existsSync(at('a.md')));
    await assert.rejects(disk.move(file, 'b.md'), DiskChanged);
  });

  it('NodeDisk moves and removes folders, but neither over another nor with files in them', async () => {
    put('f/a.md', 'a');
    put('g/.hidden', 'kept');
    put('h/.DS_Store', 'litter');
    put('i/b.md', 'b');
    const disk = await open();
    await disk.list();
    await assert.rejects(disk.moveFolder('f', 'g'), DiskChanged);
    await disk.moveFolder('f', 'deep/f');
    assert.equal(readFileSync(at('deep/f/a.md'), 'utf8'), 'a');
    await assert.rejects(disk.removeFolder('g'), DiskRefused);
    await assert.rejects(disk.removeFolder('i'), DiskChanged);
    await disk.removeFolder('h');
    assert.deepEqual(readdirSync(root()).sort(), ['.notevault', 'deep', 'g', 'i']);
  });

  it('NodeDisk puts a deleted file into the trash, unless it was replaced meanwhile', async () => {
    put('a.md', 'a');
    const disk = await open();
    const file = await listed(disk, 'a.md');
    put('a.md', 'edited');
    await assert.rejects(disk.trash(file), DiskChanged);
    assert.equal(readFileSync(at('a.md'), 'utf8'), 'edited');
    await disk.trash(await listed(disk, 'a.md'));
    assert.ok(!existsSync(at('a.md')));
    const [kept] = trash.list('a.md');
    assert.equal(kept && readFileSync(trash.fileOf(kept.id), 'utf8'), 'edited');
    assert.equal(kept?.reason, 'deleted');
  });

  it('NodeDisk recognises a file that was replaced by another in its inode, and two names of one file', async () => {
    put('a.md', 'a');
    const disk = await open();
    const before = await listed(disk, 'a.md');
    rmSync(at('a.md'));
    put('b.md', 'b');
    assert.notEqual((await listed(disk, 'b.md')).fileId, before.fileId);
    execFileSync('ln', [at('b.md'), at('c.md')]);
    assert.equal((await listed(disk, 'c.md')).fileId, null);
  });

  it('NodeDisk finishes what a killed run left: incomplete files are removed, half trashed ones kept', async () => {
    await open();
    put('.notevault/tmp/new-1234', 'incomplete');
    put('.notevault/tmp/old-5678', 'on its way to the trash');
    await open();
    assert.deepEqual(readdirSync(at('.notevault/tmp')), []);
    const [kept] = trash.list();
    assert.equal(kept && readFileSync(trash.fileOf(kept.id), 'utf8'), 'on its way to the trash');
  });

  it('NodeDisk changes nothing in a folder that is no longer the synced one', async () => {
    put('a.md', 'a');
    let isGone = false;
    const checkRoot = async () => {
      if (isGone) throw new FolderGone('gone');
    };
    const disk = await open({ checkRoot });
    await listed(disk, 'a.md');
    isGone = true;
    await assert.rejects(disk.list(), FolderGone);
    await assert.rejects(disk.write('b.md', contentOf('b'), null), FolderGone);
    await assert.rejects(disk.makeFolder('f'), FolderGone);
    assert.deepEqual(readdirSync(root()).sort(), ['.notevault', 'a.md']);
  });

  it('NodeDisk syncs only the selected Obsidian settings, never the workspace or hidden files in them', async () => {
    const files = [
      'app.json',
      'workspace.json',
      'workspace-mobile.json',
      'themes/A/theme.css',
      'plugins/x/main.js',
      'hotkeys.json',
      'community-plugins.json',
    ];
    for (const file of [...files, 'themes/A/.git/config', 'plugins/notevault-sync/data.json'])
      put(`.obsidian/${file}`, file);
    const shown = async (settings: NodeDiskOptions['settings']) =>
      (await (await open({ settings: settings ?? [] })).list()).files
        .map(({ path }) => path.slice('.obsidian/'.length))
        .sort();
    assert.deepEqual(await shown([]), []);
    assert.deepEqual(await shown(['app', 'themes']), ['app.json', 'themes/A/theme.css']);
    assert.deepEqual(await shown(['community-plugins']), ['community-plugins.json']);
    const disk = await open({ settings: ['app'] });
    assert.equal(disk.pathFault('.obsidian/app.json'), null);
    for (const path of ['.obsidian/workspace.json', '.obsidian/hotkeys.json', '.obsidian/plugins/x/main.js']) {
      assert.ok(disk.isIgnored(path, 'file'), path);
      await assert.rejects(disk.write(path, contentOf('x'), null), DiskRefused);
    }
  });
});
