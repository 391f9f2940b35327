import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BlobFigures, BlobRun } from './kit/blob-run.ts';
import { databaseOfBench, numberGiven } from './kit/processes.ts';
import { inRounds, middleRow, ratioRows } from './kit/rounds.ts';

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

const columnsOf = ({ putMbPerSecond, readMbPerSecond, putPeak, readPeak }: BlobFigures) => ({
  ...{ 'put MB/s': putMbPerSecond, 'read MB/s': readMbPerSecond },
  ...{ 'put peak MiB': Math.round(putPeak.own), 'read peak MiB': Math.round(readPeak.own) },
  'with mapped files': Math.round(Math.max(putPeak.all, readPeak.all)),
});

for (const atOnce of [1, 8]) {
  const own = (store: 'disk' | 'database') => async () => {
    const found = await run(store, atOnce);
    if (Math.max(found.putPeak.own, found.readPeak.own) > LIMIT_MIB) process.exitCode = 1;
    return columnsOf(found);
  };
  const found = await inRounds({
    raw: async () => columnsOf(await run('raw file', atOnce)),
    disk: own('disk'),
    inDatabase: own('database'),
  });
  const name = database === null ? 'database' : 'PostgreSQL';
  console.log(`${atOnce} at once`);
  console.table([middleRow('raw file', found.raw), middleRow('disk', found.disk), middleRow(name, found.inDatabase)]);
  console.log('of the raw file');
  console.table([
    ...ratioRows(['put MB/s', 'read MB/s'], found.disk, found.raw, 'disk'),
    ...ratioRows(['put MB/s', 'read MB/s'], found.inDatabase, found.raw, name),
  ]);
}
if (process.exitCode === 1) console.log(`More than ${LIMIT_MIB} MiB above idle.`);
