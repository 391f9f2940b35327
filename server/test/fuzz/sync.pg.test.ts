import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../../src/ports/database/statement.ts';
import { onEachEngine } from '../kit/engines.ts';
import { MODES, type Mode } from './sync.requests.ts';
import { syncRun } from './sync.ts';

/** The first seeds, and all that once failed; thousands run in `sync.long.test.ts`. */
const SEEDS: Readonly<Record<Engine, Readonly<Record<Mode, readonly number[]>>>> = {
  sqlite: {
    ordinary: [1, 2, 396, 528, 564, 661, 820, 946, 960, 1265, 1498, 5013, 5019, 9306],
    deletes: [7, 16, 24, 27, 33, 38, 5033, 5045],
    trash: [1, 2],
    swaps: [1, 2, 22_149, 22_369],
  },
  postgres: { ordinary: [1, 2, 528, 820], deletes: [7, 16], trash: [1], swaps: [1] },
};

onEachEngine('devices that type, requests beside them and processes that die', (open) => {
  for (const mode of MODES) {
    test(`[2.5] [3.2] [6.1] [7.5] [7.6] [7.7] [8.4] [8.6] [12.3] [12.4] lose and double nothing, and converge: ${mode}`, async () => {
      const db = await open();
      const { faults } = await syncRun(async () => db, SEEDS[db.engine][mode], { mode });
      assert.deepEqual(
        faults.map((fault) => fault.slice(0, 500)),
        [],
      );
    });
  }
});
