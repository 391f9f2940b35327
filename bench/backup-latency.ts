import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { databaseOfBench, numberGiven, startServerOn } from './kit/processes.ts';
import { inRounds, middleRow, ratioRows } from './kit/rounds.ts';
import { signUp } from './kit/vault.ts';

// How long do others wait while a backup runs? Reads and writes arrive at a fixed rate, in turns with and without
// backups, each of which copies everything, and are compared. Argument: seconds of a turn.
const SECONDS = numberGiven(15);
const NOTES = 4000;
const NOTE_BYTES = 4000;
const ATTACHMENTS = 40;
const ATTACHMENT_BYTES = 4_000_000;
const READS_PER_SECOND = 60;
const WRITES_PER_SECOND = 20;

// Dropped with the server.
const database = await databaseOfBench();
await using server = await startServerOn(database);
const headers = await signUp(server.url);
const json = { ...headers, 'content-type': 'application/json' };

async function send(method: string, path: string, body?: string | Uint8Array<ArrayBuffer>, type = json): Promise<void> {
  const answer = await fetch(`${server.url}/api${path}`, {
    method,
    headers: type,
    ...(body === undefined ? {} : { body }),
  });
  await answer.arrayBuffer();
  if (answer.status === 503) refused += 1;
  else if (answer.status !== 200) throw new Error(`${method} ${path} was answered ${answer.status}`);
}

/** Requests that the server refused because it had too much to do. */
let refused = 0;

const textOf = () => randomBytes(NOTE_BYTES / 2).toString('hex');
const noteAt = (at: number) => `folder ${at % 50}/note ${at}.md`;

async function fill(): Promise<void> {
  const each = 100;
  for (let from = 0; from < NOTES; from += each) {
    const notes = Array.from({ length: each }, (_, at) => ({ path: noteAt(from + at), content: textOf(), mtime: 1 }));
    const key = { ...json, 'x-idempotency-key': `${from}` };
    await send('POST', '/notes/batch', JSON.stringify({ notes }), key);
  }
  const raw = { ...headers, 'content-type': 'application/octet-stream' };
  for (let at = 0; at < ATTACHMENTS; at++) {
    const bytes = new Uint8Array(randomBytes(ATTACHMENT_BYTES));
    bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    await send('PUT', `/attachments/picture-${at}.png`, bytes, raw);
  }
}

/** Sends requests at a fixed rate, however long the answers take, and adds the time of each from when it was due. */
async function arrive(
  perSecond: number,
  goesOn: () => boolean,
  times: number[],
  request: () => Promise<void>,
): Promise<void> {
  const waiting: Promise<void>[] = [];
  for (let due = performance.now(); goesOn(); due += 1000 / perSecond) {
    const early = due - performance.now();
    if (early > 0) await delay(early);
    const at = due;
    waiting.push(
      request().then(() => {
        times.push(performance.now() - at);
      }),
    );
  }
  await Promise.all(waiting);
}

/** Takes backups one after the other, each into a folder of its own; resolves to how many ended. */
async function backUp(until: number): Promise<number> {
  let count = 0;
  for (; performance.now() < until; count++) {
    const folder = join(server.folder, 'backups', `${performance.now()}`);
    const child = spawn(process.execPath, [join(import.meta.dirname, '../cli/src/main.ts'), 'backup', folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        NOTEVAULT_DATA_DIR: server.folder,
        ...(database === null ? {} : { NOTEVAULT_DATABASE_URL: database.url }),
      },
    });
    child.stderr.resume();
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`a backup ended with ${code}`);
    await rm(folder, { recursive: true });
  }
  return count;
}

async function turn(withBackups: boolean) {
  const reads: number[] = [];
  const writes: number[] = [];
  const until = performance.now() + SECONDS * 1000;
  const read = () => send('GET', `/notes/${encodeURI(noteAt(Math.floor(Math.random() * NOTES)))}`);
  const write = () => {
    const path = noteAt(Math.floor(Math.random() * NOTES));
    return send('POST', '/notes', JSON.stringify({ path, content: textOf(), mtime: 2 }));
  };
  let goesOn = true;
  const arriving = [
    arrive(READS_PER_SECOND, () => goesOn, reads, read),
    arrive(WRITES_PER_SECOND, () => goesOn, writes, write),
  ];
  const backups = withBackups ? await backUp(until) : await delay(SECONDS * 1000, 0);
  goesOn = false;
  await Promise.all(arriving);
  return {
    ...{ 'reads p50 ms': quantile(reads, 0.5), 'reads p99 ms': quantile(reads, 0.99) },
    ...{ 'writes p50 ms': quantile(writes, 0.5), 'writes p99 ms': quantile(writes, 0.99), backups },
  };
}

function quantile(times: readonly number[], at: number): number {
  const value = times.toSorted((a, b) => a - b)[Math.floor(times.length * at)] ?? Number.NaN;
  return Math.round(10 * value) / 10;
}

await fill();
await turn(false);
const { without, during } = await inRounds({ without: () => turn(false), during: () => turn(true) });
console.log(`turns of ${SECONDS} s or more; ${refused} requests refused`);
console.table([middleRow('without backups', without), middleRow('while they run', during)]);
console.log('with, of those without');
console.table(ratioRows(['reads p99 ms', 'writes p99 ms'], during, without));
