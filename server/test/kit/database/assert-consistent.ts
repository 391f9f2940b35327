import assert from 'node:assert/strict';
import { MasterKeyring } from '../../../src/ports/keyring/master-key.ts';
import { rawOf } from '../engines.ts';
import type { TestServer } from '../server.ts';
import { checkConsistency } from './consistency-check.ts';

/** Asserts that all rows of a server's database are consistent. */
export async function assertConsistent({ db, masterKey }: Pick<TestServer, 'db' | 'masterKey'>): Promise<void> {
  await using raw = await rawOf(db);
  assert.deepEqual(await checkConsistency(raw, new MasterKeyring(masterKey, () => Buffer.alloc(0))), []);
}
