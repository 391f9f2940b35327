import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeeds } from '../../../../packages/sync/test/simulation/run.ts';
import { vaultWorldDisk } from './vault-world.ts';

test('in 600 seeds three devices with the plugin end in sync with no word lost', async () => {
  assert.deepEqual(await runSeeds(1_000, 600, { diskOf: vaultWorldDisk, twice: false }), []);
});

test('in 200 seeds with members who come and go nothing is sent by viewers, and no word is lost', async () => {
  assert.deepEqual(await runSeeds(5_000, 200, { diskOf: vaultWorldDisk, twice: false, hasMembers: true }), []);
});
