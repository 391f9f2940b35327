import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { Folder } from '../../../../test/kit/programs/process.ts';
import { item } from '../contract/kit.ts';
import { CONTRACT_SCHEMA, contract as sql } from '../contract/statements.ts';
import type { WriteHandle } from '../database.ts';
import { openSqlite } from './sqlite.ts';

/** Each fills most of a page. */
const ROW_BYTES = 3000;
const ROWS = (90 * MB) / ROW_BYTES;

/** Resident memory of this process without mapped files, in bytes. */
const ownMemory = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;

test('a bulk body that changes every page of 90 MB keeps no copy of them in memory', {
  skip: platform() === 'linux' ? false : 'the memory is read from /proc',
}, async () => {
  using folder = new Folder();
  await using db = await openSqlite({ file: folder.at('test.sqlite') });
  await db.migrate(CONTRACT_SCHEMA);
  const bytes = Buffer.alloc(ROW_BYTES);
  const each = async (work: (handle: WriteHandle, id: string) => Promise<unknown>) =>
    db.transact(async (handle) => {
      for (let row = 0; row < ROWS; row++) await work(handle, `row ${row}`);
      return ownMemory();
    }, 'bulk');
  // Fills the page cache, and grows the heap to what such a body needs.
  const before = await each((handle, id) => handle.run(sql.put, { ...item(id, 1), bytes }));
  const after = await each((handle, id) => handle.run(sql.add, { id, by: 1 }));
  assert.ok(after - before < 75 * MB, `${Math.round((after - before) / MB)} MB more`);
});
