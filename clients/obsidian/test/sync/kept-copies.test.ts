import assert from 'node:assert/strict';
import { it } from 'node:test';
import { KEPT_PER_FILE } from '@notevault/sync/rules/kept-copies.ts';
import { KeptCopies } from '../../src/sync/kept-copies.ts';
import { StandInApp } from '../stand-in/app.ts';
import { ManualClock } from '../stand-in/clock.ts';
import { Device } from '../stand-in/device.ts';

const HOUR_MS = 60 * 60 * 1000;
const bytes = new TextEncoder().encode('text');

it('the newest copies of a file are kept, including those of earlier runs, and older ones are removed', async () => {
  const app = new StandInApp(new Device({ clock: new ManualClock() }));
  const { adapter } = app.asApp.vault;
  let now = 1000 * HOUR_MS;
  const keep = async (kept: KeptCopies, path: string) => {
    now += HOUR_MS;
    return kept.keep(path, bytes);
  };
  const first = new KeptCopies(adapter, () => now);
  const places: string[] = [await keep(first, 'other.md')];
  for (let count = 0; count < 15; count++) places.push(await keep(first, 'f/a.md'));
  const next = new KeptCopies(adapter, () => now);
  await next.tidy();
  for (let count = 0; count < 10; count++) places.push(await keep(next, 'f/a.md'));
  const left = places.filter((_, at) => at === 0 || at > 25 - KEPT_PER_FILE);
  assert.deepEqual(
    (await next.list()).map(({ at }) => at),
    left.toReversed(),
  );
  assert.equal((await adapter.list('.notevault/kept')).folders.length, KEPT_PER_FILE + 1);
  now += 30 * 24 * HOUR_MS + 1;
  await next.tidy();
  assert.deepEqual((await adapter.list('.notevault/kept')).folders, []);
});
