import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Folder } from '../../../test/kit/programs/process.ts';
import { objectPath, sha256 } from '../format.ts';
import { openFolderTarget } from './folder-target.ts';

const bytes = Buffer.from('the rows of a table');
const object = { hash: sha256(bytes), size: bytes.length };

test('a piece that was damaged since an earlier backup is written again', async () => {
  using folder = new Folder();
  await using target = await openFolderTarget(folder.at('backups'));
  const path = folder.at('backups', objectPath('database', object.hash));
  await target.put('database', object.hash, bytes);
  writeFileSync(path, 'the rows of a tablE');
  await target.put('database', object.hash, bytes);
  assert.equal(readFileSync(path, 'utf8'), 'the rows of a table');
});

test('a blob that is copied again takes the place of one that was damaged since', async () => {
  using folder = new Folder();
  await using target = await openFolderTarget(folder.at('backups'));
  const path = folder.at('backups', objectPath('blobs', object.hash));
  for (const after of ['the rows of a tablE', 'the rows of a table']) {
    const part = join(target.scratch, 'blob.part');
    writeFileSync(part, bytes);
    await target.adopt('blobs', object, part);
    assert.deepEqual(readFileSync(path), bytes);
    writeFileSync(path, after);
  }
});
