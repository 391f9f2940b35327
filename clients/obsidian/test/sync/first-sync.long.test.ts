import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { fixedToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import { onSqlite } from '../../../../server/test/kit/engines.ts';
import { startServer } from '../../../../server/test/kit/server.ts';
import { until } from '../../../../server/test/kit/until.ts';
import { noChromium } from '../../../../tools/chromium.ts';
import { longestTaskIn, startDevices } from '../browser.ts';
import { vaultOf } from './plugin-device.ts';

/** TEST_FILES=3000 for a short one. */
const FILES = Number(process.env.TEST_FILES ?? 30_000);
const BATCH = 100;
/** People notice what takes longer, here in milliseconds of the processor. */
const TASK_MS = 100;
/** Maximum heap of a phone's page in MB, including the stand-in's disk: some KB per file. */
const HEAP_MB = 100 + FILES / 100;

onSqlite('many files in the plugin', (open) => {
  test('P11, C11: a first sync and a start leave the app its turn, say truly what is left, and can be paused', {
    skip: noChromium ?? false,
  }, async () => {
    await using browser = await startDevices();
    await using server = await startServer({ open, config: { corsOrigins: [browser.origin] } });
    const { key, vaultId } = await vaultOf(server, 'many');
    const vault = new NotevaultClient(new Transport(server.url, fixedToken(key))).vault(vaultId);
    for (let at = 0; at < FILES; at += BATCH) {
      const notes = Array.from({ length: BATCH }, (_, index) => {
        const path = `folder ${Math.floor((at + index) / 50)}/note ${at + index}.md`;
        return { path, content: `# Note ${at + index}\n\nSome words.\n`, mtime: 1 };
      });
      await vault.upsertNotes(notes);
    }
    await using device = await browser.openPlugin({
      ...{ server: server.url, token: key, vault: vaultId, platform: 'android', isShort: true },
    });
    const count = () => device.run(({ paths }) => paths.length);
    const { run } = device;
    const longest = await longestTaskIn(device, async () => {
      // The whole feed comes before the first file.
      while ((await count()) < FILES / 10) await new Promise((resolve) => setTimeout(resolve, 50));
      await run((page) => page.request('pause'));
      await until(async () => (await run(({ status }) => status.state)) === 'paused', 'the pause');
      const paused = await count();
      assert.ok(paused < FILES, 'all files came before the pause');
      await new Promise((resolve) => setTimeout(resolve, 1000));
      assert.equal(await count(), paused);
      await run((page) => page.request('resume'));
      await until(async () => (await run(({ status }) => status.waitingDown)) > 0, 'what is left');
      const [left, there] = await run(({ status, paths }) => [status.waitingDown, paths.length] as const);
      // Some are written and not counted yet.
      assert.ok(Math.abs(left + there - FILES) <= 20, `${left} are left of ${FILES}, and ${there} are there`);
      await run((page) => page.inStep());
      assert.equal(await count(), FILES);
      await run((page) => page.inStep(true));
    });
    const heapMb = await run(
      () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 2 ** 20,
    );
    assert.ok(longest <= TASK_MS, `a task took ${Math.round(longest)} ms of the processor`);
    assert.ok(heapMb <= HEAP_MB, `the page has ${Math.round(heapMb)} MB`);
    assert.deepEqual(device.complaints, []);
  });
});
