import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { Folder } from '../../test/kit/programs/process.ts';
import { finishRestore, stagedData, stagedMarker, stagingFolder } from './finish-restore.ts';

const OLD = [
  'notevault.sqlite',
  'notevault.sqlite-wal',
  'notevault.sqlite-shm',
  'blobs/a',
  'master.key',
  'lock.sqlite',
];
const NEW = ['notevault.sqlite', 'blobs/b'];

function write(folder: string, names: readonly string[], text: string): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function prepared(folder: string): void {
  write(folder, OLD, 'old');
  write(stagedData(folder), NEW, 'new');
  writeFileSync(stagedMarker(folder), 'restore-point-1');
}

function checkReplaced(folder: string): void {
  for (const name of NEW) assert.equal(readFileSync(join(folder, name), 'utf8'), 'new', name);
  for (const name of ['notevault.sqlite-wal', 'notevault.sqlite-shm', 'blobs/a']) {
    assert.ok(!existsSync(join(folder, name)), `${name} is beside the restored data`);
  }
  assert.equal(readFileSync(join(folder, 'master.key'), 'utf8'), 'old', 'a key that was not restored stays');
  const kept = ['notevault.sqlite', 'notevault.sqlite-wal', 'notevault.sqlite-shm', 'blobs/a'];
  for (const name of kept) assert.equal(readFileSync(join(folder, 'restore-point-1', name), 'utf8'), 'old', name);
  assert.ok(!existsSync(stagingFolder(folder)));
}

test('finishRestore replaces the data, keeps the data before, and does nothing without a whole preparation', () => {
  using folder = new Folder();
  prepared(folder.path);
  finishRestore(folder.path);
  checkReplaced(folder.path);
  finishRestore(folder.path);
  checkReplaced(folder.path);
});

test('finishRestore removes a preparation that was cut off, and leaves the data as it is', () => {
  using folder = new Folder();
  write(folder.path, OLD, 'old');
  write(stagedData(folder.path), NEW, 'new');
  finishRestore(folder.path);
  for (const name of OLD) assert.equal(readFileSync(folder.at(name), 'utf8'), 'old', name);
  assert.ok(!existsSync(stagingFolder(folder.path)));
});

test('finishRestore continues after a kill between any two of its steps', () => {
  const steps = [
    ['notevault.sqlite-wal', 'restore-point-1/notevault.sqlite-wal'],
    ['notevault.sqlite-shm', 'restore-point-1/notevault.sqlite-shm'],
    ['notevault.sqlite', 'restore-point-1/notevault.sqlite'],
    ['restoring/data/notevault.sqlite', 'notevault.sqlite'],
    ['blobs', 'restore-point-1/blobs'],
    ['restoring/data/blobs', 'blobs'],
  ];
  for (let done = 0; done <= steps.length; done++) {
    using folder = new Folder();
    prepared(folder.path);
    mkdirSync(folder.at('restore-point-1'));
    for (const [from = '', to = ''] of steps.slice(0, done)) renameSync(folder.at(from), folder.at(to));
    finishRestore(folder.path);
    checkReplaced(folder.path);
  }
});
