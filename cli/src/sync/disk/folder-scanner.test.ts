import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
import type { DiskListing } from '@notevault/sync/engine/ports.ts';
import { Folder } from '../../../../server/test/kit/programs/process.ts';
import { Random } from '../../../../server/test/kit/random.ts';
import { ChangedPaths } from './changed-paths.ts';
import { DiskNames } from './disk-names.ts';
import { FolderScanner } from './folder-scanner.ts';

const options = () => ({
  hasFileIds: true,
  names: new DiskNames(),
  isIgnored: (path: string) => path.endsWith('.tmp'),
});

function sorted({ files, folders, skipped, isPartial }: DiskListing) {
  const lines = (all: readonly unknown[]) => all.map((one) => JSON.stringify(one)).sort();
  return { files: lines(files), folders: [...folders].sort(), skipped: lines(skipped), isPartial };
}

const PARTS = ['a', 'b', 'C', 'é'];
const NAMES = ['x.md', 'y.md', 'z.tmp', 'é.md'];

/** Makes one random change to a folder as a person would. Returns the paths that a watcher would report. */
function change(folder: Folder, random: Random): string[] {
  const folderPath = () => Array.from({ length: random.below(4) }, () => random.pick(PARTS)).join('/');
  const inside = (path: string) => (path === '' ? random.pick(NAMES) : `${path}/${random.pick(NAMES)}`);
  const [from, to] = [folderPath(), folderPath()];
  const file = inside(from);
  const act = random.below(6);
  if (act < 2) {
    if (existsSync(folder.at(from, '..')) === false) mkdirSync(folder.at(from), { recursive: true });
    mkdirSync(folder.at(from), { recursive: true });
    rmSync(folder.at(file), { recursive: true, force: true });
    writeFileSync(folder.at(file), `${random.below(1e9)}`);
    // Of nested new folders a watcher reports the outermost only.
    return [file, ...from.split('/').map((_, index, all) => all.slice(0, index + 1).join('/'))].filter(Boolean);
  }
  if (act === 2) {
    rmSync(folder.at(file), { recursive: true, force: true });
    return [file];
  }
  if (act === 3 && from !== '') {
    rmSync(folder.at(from), { recursive: true, force: true });
    return [from];
  }
  if (act === 4 && from !== '' && existsSync(folder.at(from)) && !existsSync(folder.at(file))) {
    symlinkSync('/', folder.at(file));
    return [file];
  }
  const isMove = act === 5 && from !== '' && to !== '' && existsSync(folder.at(from)) && !existsSync(folder.at(to));
  if (!isMove || `${to}/`.startsWith(`${from}/`) || `${from}/`.startsWith(`${to}/`)) return [];
  if (!existsSync(folder.at(to, '..'))) return [];
  renameSync(folder.at(from), folder.at(to));
  return [from, to];
}

it('FolderScanner finds by the changed paths alone what a complete scan finds, over 300 random changes', () => {
  using folder = new Folder();
  const random = new Random(7);
  const scanner = new FolderScanner(folder.path, options());
  scanner.scan();
  let changed: string[] = [];
  for (let step = 0; step < 300; step++) {
    changed.push(...change(folder, random));
    if (random.chance(0.5)) continue;
    const found = sorted(scanner.rescan(changed.map((path) => path.normalize('NFC'))));
    assert.deepEqual(found, sorted(new FolderScanner(folder.path, options()).scan()), `step ${step}: ${changed}`);
    changed = [];
  }
});

it('FolderScanner reads a folder again that was replaced by another one with other files', () => {
  using folder = new Folder();
  mkdirSync(folder.at('a/in'), { recursive: true });
  mkdirSync(folder.at('b/in'), { recursive: true });
  writeFileSync(folder.at('a/in/x.md'), 'x');
  writeFileSync(folder.at('b/in/y.md'), 'y');
  const scanner = new FolderScanner(folder.path, options());
  scanner.scan();
  renameSync(folder.at('a'), folder.at('c'));
  renameSync(folder.at('b'), folder.at('a'));
  // Only a change next to the folder is reported.
  const { files } = scanner.rescan(['other.md']);
  assert.deepEqual(files.map(({ path }) => path).sort(), ['a/in/y.md', 'c/in/x.md']);
});

it('ChangedPaths asks for everything until a watcher has begun, once then, and after it has failed', () => {
  const changes = new ChangedPaths();
  changes.add('a');
  assert.equal(changes.take(), null);
  assert.equal(changes.take(), null);
  changes.watchBegins();
  assert.equal(changes.take(), null);
  assert.deepEqual(changes.take(), new Set());
  changes.add('a');
  changes.add('b/c');
  assert.deepEqual(changes.take(), new Set(['a', 'b/c']));
  changes.addAll();
  assert.equal(changes.take(), null);
  changes.watchFails();
  changes.add('a');
  assert.equal(changes.take(), null);
});

it('FolderScanner lists a file once whose move to another folder was reported for one of the two only', () => {
  using folder = new Folder();
  for (const name of ['a', 'b']) mkdirSync(folder.at(name));
  for (const [from, to] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    writeFileSync(folder.at(`${from}/x.md`), 'x');
    const scanner = new FolderScanner(folder.path, options());
    scanner.scan();
    renameSync(folder.at(`${from}/x.md`), folder.at(`${to}/y.md`));
    assert.deepEqual(
      scanner.rescan([`${to}/y.md`]).files.map(({ path }) => path),
      [`${to}/y.md`],
    );
    rmSync(folder.at(`${to}/y.md`));
  }
});
