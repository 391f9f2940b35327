import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FolderWriter, unwritable } from './folder-writer.ts';

async function* bytes(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}
const told = { hash: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', mtime: 5 };

test('unwritable recognises names that a system cannot hold', () => {
  for (const path of ['', 'a//b', '../a', 'a/..', './a', 'a\0']) assert.notEqual(unwritable(path, 'linux'), null, path);
  for (const path of ['a:b', 'CON', 'nul.txt', 'a./b', 'b ', 'a\\b', 'COM1.md']) {
    assert.notEqual(unwritable(path, 'win32'), null, path);
    assert.equal(unwritable(path, 'linux'), null, path);
  }
  for (const path of ['console.md', 'a.b/c d', 'Ünï/日本.md']) assert.equal(unwritable(path, 'win32'), null, path);
});

test('FolderWriter keeps the old file and discards the new one if the bytes do not match the hash', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'notevault-test-'));
  try {
    const writer = new FolderWriter(folder);
    writeFileSync(join(folder, 'a.txt'), 'old');
    await assert.rejects(writer.write('a.txt', bytes('ab', 'x'), told), /do not match the vault’s hash/);
    async function* broken() {
      yield* bytes('a');
      throw new RangeError('broke off');
    }
    await assert.rejects(writer.write('a.txt', broken(), told), /broke off/);
    assert.deepEqual([readdirSync(folder), readFileSync(join(folder, 'a.txt'), 'utf8')], [['a.txt'], 'old']);
    await writer.write('a.txt', bytes('ab', 'c'), told);
    await writer.write('b/c/d.txt', bytes('abc'), told);
    assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'abc');
    await assert.rejects(writer.write('a.txt/b.txt', bytes('abc'), told), /is not a folder/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
