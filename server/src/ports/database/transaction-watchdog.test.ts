import assert from 'node:assert/strict';
import type { EventLoopUtilization } from 'node:perf_hooks';
import { describe, test } from 'node:test';
import { until } from '../../../test/kit/until.ts';
import { LATE_PERIODS, TransactionWatchdog } from './transaction-watchdog.ts';

/** A watchdog in a process whose event loop is busy for this share of the time; `periods` counts how often it looked. */
function watch(share: number) {
  const seen = { periods: 0, leftOpen: 0 };
  const utilization = (since?: EventLoopUtilization) => {
    if (since !== undefined) seen.periods += 1;
    return { idle: 0, active: 0, utilization: share };
  };
  return { watchdog: new TransactionWatchdog(2, () => seen.leftOpen++, utilization), seen };
}

describe('TransactionWatchdog', () => {
  test('gives up a body that leaves its handle unused', async () => {
    const { watchdog, seen } = watch(0.1);
    using _ = watchdog;
    await until(() => seen.periods > 0);
    assert.deepEqual(seen, { periods: 1, leftOpen: 1 });
  });

  test('gives a body in a busy process some more time, and not for ever', async () => {
    const { watchdog, seen } = watch(0.9);
    using _ = watchdog;
    await until(() => seen.leftOpen > 0);
    assert.deepEqual(seen, { periods: 1 + LATE_PERIODS, leftOpen: 1 });
  });

  test('waits for a call that runs', async () => {
    const { watchdog, seen } = watch(0.1);
    using _ = watchdog;
    watchdog.called();
    await until(() => seen.periods > 3);
    assert.equal(seen.leftOpen, 0);
    watchdog.returned();
    await until(() => seen.leftOpen > 0);
  });
});
