import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeeds } from '../../../../packages/sync/test/simulation/run.ts';
import { vaultWorldDisk } from './vault-world.ts';

test('in 12 seeds three plugin devices whose apps are killed at any step end in sync with no word lost', async () => {
  assert.deepEqual(await runSeeds(1, 12, { diskOf: vaultWorldDisk }), []);
});

test('in 10 seeds with names that are swapped and go in circles no word is lost', async () => {
  assert.deepEqual(await runSeeds(40, 10, { diskOf: vaultWorldDisk, twice: false, hasExchanges: true }), []);
});

test('in 8 seeds where the app has its turn between two files no word is lost', async () => {
  assert.deepEqual(await runSeeds(20, 8, { diskOf: vaultWorldDisk, twice: false, rests: true }), []);
});

test('seed 29: an attachment that is written while the server’s bytes replace it is not lost', async () => {
  assert.deepEqual(await runSeeds(29, 1, { diskOf: vaultWorldDisk }), []);
});

for (const seed of [1_024, 1_306])
  test(`seed ${seed}: an attachment written right after a download is not taken for the downloaded one`, async () => {
    assert.deepEqual(await runSeeds(seed, 1, { diskOf: vaultWorldDisk, twice: false }), []);
  });
