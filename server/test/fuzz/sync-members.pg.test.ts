import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { membersRun } from './sync-members.ts';

/** The first seeds, and all that once failed; hundreds run in `sync-members.long.test.ts`. */
const SEEDS = { sqlite: [1, 2, 3, 4, 5], postgres: [1, 2] };

onEachEngine('folders of several people in one vault', (open) => {
  test('[S3] [S8] [S10] [13.7] members whose roles change send only what they may, and no word is lost', async () => {
    const db = await open();
    assert.deepEqual(await membersRun(async () => db, SEEDS[db.engine]), []);
  });
});
