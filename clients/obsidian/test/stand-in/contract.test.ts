import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { APP_CHECKS } from '../../src/app-checks/checks.ts';
import { runAppChecks } from '../../src/app-checks/run-checks.ts';
import { StandInApp } from './app.ts';
import { ManualClock } from './clock.ts';
import { Device, type DeviceOptions } from './device.ts';
import { failures } from './events.ts';

const DEVICES: readonly (readonly [string, DeviceOptions])[] = [
  ['a desktop', {}],
  ['a desktop with decomposed names', { decomposes: true }],
  ['an Android phone', { platform: 'android', diskMs: 5 }],
  ['an iPhone', { platform: 'ios', lateEventMs: 500 }],
];

describe('the stand-in of the app', () => {
  for (const [name, options] of DEVICES) {
    test(`does on ${name} what the plugin relies on`, async () => {
      const clock = new ManualClock();
      const app = new StandInApp(new Device({ ...options, clock }));
      app.start();
      const wait = (ms: number) => new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
      const running = runAppChecks(app.asApp, 'scratch', wait);
      let results: Awaited<typeof running> | null = null;
      running.then((ended) => {
        results = ended;
      });
      for (let step = 0; results === null && step < 2_000; step++) await clock.advance(20);
      assert.deepEqual(
        (await running).filter(({ failure }) => failure !== null),
        [],
      );
      assert.equal((await running).length, APP_CHECKS.length);
      assert.deepEqual(failures, []);
    });
  }
});
