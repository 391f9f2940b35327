import { describe } from 'node:test';
import { freshPostgres, whyNoPostgres } from '../../../../test/kit/database/postgres.ts';
import { databaseContract } from '../contract/database.contract.ts';
import { openPostgres } from './postgres.ts';

const skip = whyNoPostgres() ?? false;

describe('postgres', { skip }, () => {
  databaseContract('postgres', async (limits = {}) => {
    const fresh = await freshPostgres();
    const poolSize = limits.maxWaiting === undefined ? 10 : 1;
    const db = await openPostgres({ url: fresh.url, poolSize, ...limits });
    const close = async () => {
      await db[Symbol.asyncDispose]();
      await fresh[Symbol.asyncDispose]();
    };
    return { db, where: fresh.url, close };
  });
});
