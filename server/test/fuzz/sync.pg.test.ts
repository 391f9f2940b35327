import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { syncRun } from './sync.ts';

const SEEDS = Array.from({ length: 12 }, (_, at) => at + 1);

onEachEngine('devices that type, requests beside them and processes that die', (open) => {
  test('[2.5] [3.2] [6.1] [7.5] [7.6] [7.7] [8.4] [12.3] [12.4] nothing is lost or doubled, and all end with the same', async () => {
    const faults = await syncRun(open, SEEDS);
    assert.deepEqual(
      faults.map((fault) => fault.slice(0, 500)),
      [],
    );
  });
});
