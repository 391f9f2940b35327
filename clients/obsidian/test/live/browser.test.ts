import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine, onSqlite } from '../../../../server/test/kit/engines.ts';
import { startServer, type TestServer } from '../../../../server/test/kit/server.ts';
import { noChromium } from '../../../../tools/chromium.ts';
import { type DeviceBrowser, startDevices } from '../browser.ts';
import { runFirstSync } from './first-sync-run.ts';
import { MUTANTS } from './mutants.ts';
import { outsideTests } from './outside.ts';
import { runSeed } from './random-run.ts';
import { noteOn } from './together.ts';
import { trapTests } from './traps.ts';
import { wholeTests } from './whole.ts';

const mutant = MUTANTS.find(({ name }) => name === process.env.MUTANT);
const mutations = mutant === undefined ? [] : [mutant, ...(mutant.and === undefined ? [] : [mutant.and])];

onSqlite('live notes in Chromium', (open) => {
  if (noChromium !== undefined) {
    test('live notes', { skip: noChromium }, () => undefined);
    return;
  }
  let devices: DeviceBrowser | null = null;
  let server: TestServer | null = null;
  before(async () => {
    devices = await startDevices(mutations);
    server = await startServer({ open, config: { corsOrigins: [devices.origin] } });
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await devices?.[Symbol.asyncDispose]();
  });
  const started = () => {
    if (devices === null || server === null) throw new Error('the browser did not start');
    return { devices, server };
  };
  const note = (text: string) => noteOn(started().server, started().devices, text);
  trapTests(note);
  outsideTests(note);
  for (const seed of [1, 2, 3, 4]) {
    test(`every letter is there once in seed ${seed}`, async () => {
      assert.equal(await runSeed(started().devices, started().server, seed), null);
    });
  }
  for (const seed of [1, 2]) {
    test(`every letter is there, and in no note twice, after the first sync of seed ${seed}`, async () => {
      assert.equal(await runFirstSync(started().devices, started().server, seed), null);
    });
  }
});

/** Lets the engine be first, which is ready sooner on a busy device. */
const SLOW_COPIES = {
  file: 'live/copy-store.ts',
  guard: 'async ids(): Promise<readonly string[]> {',
  without: 'async ids() { await new Promise((resolve) => setTimeout(resolve, 1000));',
};

onEachEngine('the whole plugin in Chromium', (open) => {
  if (noChromium !== undefined) return;
  let devices: DeviceBrowser;
  before(async () => {
    devices = await startDevices([SLOW_COPIES]);
  });
  after(() => devices[Symbol.asyncDispose]());
  wholeTests(async (config) => ({
    devices,
    server: await startServer({ open, config: { corsOrigins: [devices.origin], ...config } }),
  }));
});
