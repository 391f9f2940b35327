import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseContract } from '../contract/database.contract.ts';
import { openSqlite } from './sqlite.ts';

databaseContract('sqlite', async (limits = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'notevault-test-'));
  const where = join(folder, 'test.sqlite');
  const db = await openSqlite({ file: where, ...limits });
  const close = async () => {
    await db[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  };
  return { db, where, close };
});
