import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BlobFigures, BlobRun } from './kit/blob-run.ts';
import { databaseOfBench, numberGiven } from './kit/processes.ts';

// How much memory does a blob of 500 MB (or as many MB as given) take to seal and store, and to open and read, alone
// and eight at once, and how fast is that compared with a plain file? Own memory must stay under 64 MiB above idle.
const MB = numberGiven(500);
const LIMIT_MIB = 64;

await using database = await databaseOfBench();

async function run(store: BlobRun['store'], atOnce: number): Promise<BlobFigures> {
  const child = fork(join(import.meta.dirname, 'kit/blob-run.ts'));
  const bytes = Math.round((MB * 1e6) / atOnce);
  child.send({ store, bytes, atOnce, databaseUrl: database?.url ?? null } satisfies BlobRun);
  const [answer] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [BlobFigures | number];
  if (typeof answer !== 'object') throw new Error(`${store} ended with ${answer}`);
  await once(child, 'exit');
  return answer;
}

const rounded = (figure: number) => Math.round(figure * 100) / 100;
const rows = [];
for (const atOnce of [1, 8]) {
  const raw = await run('raw file', atOnce);
  for (const store of ['raw file', 'disk', 'database'] as const) {
    const found = store === 'raw file' ? raw : await run(store, atOnce);
    rows.push({
      '': store === 'database' && database !== null ? 'PostgreSQL' : store,
      'at once': atOnce,
      'put MB/s': found.putMbPerSecond,
      'of raw': rounded(found.putMbPerSecond / raw.putMbPerSecond),
      'read MB/s': found.readMbPerSecond,
      'of raw ': rounded(found.readMbPerSecond / raw.readMbPerSecond),
      'put peak MiB': rounded(found.putPeak.own),
      'read peak MiB': rounded(found.readPeak.own),
      'with mapped files': rounded(Math.max(found.putPeak.all, found.readPeak.all)),
    });
    if (store !== 'raw file' && Math.max(found.putPeak.own, found.readPeak.own) > LIMIT_MIB) process.exitCode = 1;
  }
}
console.table(rows);
if (process.exitCode === 1) console.log(`More than ${LIMIT_MIB} MiB above idle.`);
