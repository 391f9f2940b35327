import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { numberGiven, startServer } from '../../../../bench/kit/processes.ts';
import { runProgram } from '../../../../bench/kit/programs.ts';
import { notePath, noteText } from '../../../../bench/kit/texts.ts';
import { newKey, signUp } from '../../../../bench/kit/vault.ts';
import { startDevices } from '../browser.ts';

/*
 * node clients/obsidian/test/bench/first-sync.ts [notes]
 *
 * How long does the first sync of 10,000 notes of 2 KB and 1,000 attachments of 20 KB take through the adapters of the
 * plugin, in a page of Chromium with its IndexedDB, beside `notevault sync` of the same vault into a folder? And how long
 * does it take, with how many requests, to start where nothing has changed? What a task of the page takes at most, and
 * the heap of the page, are those of the first sync.
 */

const NOTES = numberGiven(10_000);
const ROUNDS = 3;
const root = join(import.meta.dirname, '../../../..');

await using browser = await startDevices();
await using server = await startServer({ NOTEVAULT_CORS_ORIGINS: browser.origin });
const headers = await signUp(server.url);
const [token, vault] = [await newKey(server.url, headers), headers['x-vault-id'] ?? ''];
const home = await mkdtemp(join(tmpdir(), 'notevault-first-sync-'));

function fill(folder: string): void {
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  for (let at = 0; at < NOTES; at++) put(notePath(at), noteText(at, 2000));
  for (let at = 0; at < NOTES / 10; at++) put(`files/file ${at}.txt`, noteText(at, 20_000));
}

/** Syncs a folder once; returns the seconds. */
async function folder(name: string): Promise<number> {
  const path = join(home, name);
  mkdirSync(path, { recursive: true });
  const env = {
    NOTEVAULT_TOKEN: token,
    XDG_STATE_HOME: join(home, `${name} state`),
    XDG_CONFIG_HOME: join(home, name),
  };
  const args = ['sync', '--yes', '--once', '--url', server.url, '--vault', vault, path];
  return (await runProgram(process.execPath, [join(root, 'cli/src/main.ts'), ...args], env)) / 1000;
}

/** Measures the first sync by the plugin, and its next start. */
async function plugin() {
  await using device = await browser.openPlugin({ server: server.url, token, vault, isShort: true });
  const seconds = (await device.run((page) => page.inStep())) / 1000;
  const { files, longest, heapMb } = await device.run((page) => ({
    files: page.paths.length,
    longest: Math.round(page.longestTaskMs),
    heapMb: Math.round(
      (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 2 ** 20,
    ),
  }));
  if (files !== NOTES * 1.1) throw new Error(`${files} files came`);
  // The socket of the first sync asks once more: its last look at the feed is long past.
  await device.run(() => new Promise((resolve) => setTimeout(resolve, 1000)));
  let requests = 0;
  device.page.on('request', (request) => {
    if (request.method() !== 'OPTIONS' && request.url().includes('/api/')) requests += 1;
  });
  const startMs = Math.round(await device.run((page) => page.inStep(true)));
  return { seconds, longest, heapMb, startMs, requests };
}

try {
  fill(join(home, 'source'));
  console.log(`sent by notevault sync in ${(await folder('source')).toFixed(1)} s`);
  const rows = [];
  for (let round = 0; round < ROUNDS; round++) {
    const inFolder = await folder(`round ${round}`);
    const { seconds, ...rest } = await plugin();
    const [plain, ours] = [Number(inFolder.toFixed(1)), Number(seconds.toFixed(1))];
    rows.push({ 'notevault sync, s': plain, 'plugin, s': ours, ratio: Number((ours / plain).toFixed(2)), ...rest });
  }
  console.table(rows);
} finally {
  await rm(home, { recursive: true, force: true });
}
