import { globSync } from 'node:fs';
import { request } from 'node:http';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { put, send } from './kit/neighbour-load.ts';
import { Helper } from './kit/neighbour-process.ts';
import { numberGiven, type Running, startServer } from './kit/processes.ts';
import { join as joinServer, signUp } from './kit/vault.ts';

// Does a server give back what a load took? Resident memory before a load, at its peak, and afterwards. Argument:
// seconds until the last look.
const SECONDS = numberGiven(300);
/** How long each load of `neighbours` runs. */
const EACH_MS = 5000;
const NOTES = 4000;
const ROUNDS = 3;
const AT_ONCE = 200;

interface Target {
  readonly url: string;
  readonly headers: Record<string, string>;
}

/** Reads an answer without compression, as the largest one is sent. */
function read({ url, headers }: Target, path: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  request(`${url}/api${path}`, { headers }, (answer) => answer.resume().once('close', resolve))
    .once('error', reject)
    .end();
  return promise;
}

const neighbours = join(import.meta.dirname, 'neighbours');

const LOADS: Record<string, (target: Target, round: number) => Promise<unknown>> = {
  'all loads of neighbours, one after the other': async (target, round) => {
    if (round > 0) return;
    for (const file of globSync('*.ts', { cwd: neighbours }).sort()) {
      const account = {
        url: target.url,
        headers: await joinServer(target.url, `${basename(file, '.ts')}@example.org`),
      };
      await using load = await Helper.start('neighbour-runner.ts', account, join(neighbours, file));
      load.go();
      await delay(EACH_MS);
      await load.stop();
    }
  },
  '100 manifests and 100 feeds at once': (target) =>
    Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) =>
        read(target, at % 2 === 0 ? '/sync/manifest' : '/sync/changes?limit=500&fields=all'),
      ),
    ),
  'four texts of 10 MB written and read at once': (target, round) =>
    Promise.all(
      Array.from({ length: 4 }, async (_, at) => {
        const content = `${round} ${'some words of a long text\n'.repeat(400_000)}`.slice(0, 10 * MB - 100);
        await send(target, 'POST', '/notes', { path: `large ${at}.md`, content, mtime: 1 });
        await read(target, `/notes/large%20${at}.md`);
      }),
    ),
};

async function measured(server: Running, target: Target, load: (target: Target, round: number) => Promise<unknown>) {
  await delay(5000);
  const before = await server.memory();
  await server.resetPeak();
  for (let round = 0; round < ROUNDS; round++) await load(target, round);
  const peak = await server.peakMemory();
  await delay(SECONDS * 1000);
  const after = await server.memory();
  const rounded = (mb: number) => Math.round(mb);
  // What of it is in use: the rest is what V8 and the allocator keep for the next load.
  const { heapUsed, external, threadHeaps, threadExternal } = await server.collected();
  return {
    ...{ before: rounded(before), peak: rounded(peak), [`after ${SECONDS} s`]: rounded(after) },
    ...{ 'heap in use': rounded(heapUsed), 'outside of it': rounded(external) },
    'other threads': rounded(threadHeaps + threadExternal),
  };
}

const table: Record<string, object> = {};
for (const [name, load] of Object.entries(LOADS)) {
  await using server = await startServer({ NOTEVAULT_REGISTRATION: 'open', NOTEVAULT_AUTH_RATE_LIMIT: '0' });
  const target = { url: server.url, headers: await signUp(server.url) };
  for (let at = 0; at < NOTES; at += 100) {
    const notes = Array.from({ length: 100 }, (_, index) => ({
      path: `Folder ${at}/Note number ${at + index}.md`,
      content: `# Note\n\n${'text of it '.repeat(40)}`,
      mtime: 1,
    }));
    await put(target, 'POST', '/notes/batch', { notes });
  }
  table[name] = await measured(server, target, load);
}
console.table(table);
