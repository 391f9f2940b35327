import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onSqlite } from '../../../../server/test/kit/engines.ts';
import { startServer, type TestServer } from '../../../../server/test/kit/server.ts';
import { type DeviceBrowser, startDevices } from '../browser.ts';
import { runFirstSync } from './first-sync-run.ts';
import { runSeed } from './random-run.ts';

const [FIRST, COUNT] = [Number(process.env.TEST_FROM ?? 1), Number(process.env.TEST_RUNS ?? 500)];

onSqlite('live notes in random runs', (open) => {
  let browser: DeviceBrowser;
  let server: TestServer;
  before(async () => {
    browser = await startDevices();
    server = await startServer({ open, config: { corsOrigins: [browser.origin] } });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await browser[Symbol.asyncDispose]();
  });
  for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
    test(`every letter is there once in seed ${seed}`, async () =>
      assert.equal(await runSeed(browser, server, seed), null));
    test(`every letter is there, and in no note twice, after the first sync of seed ${seed}`, async () =>
      assert.equal(await runFirstSync(browser, server, seed), null));
  }
});
