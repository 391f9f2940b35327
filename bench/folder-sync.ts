import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type FolderSyncer, rclone, syncthing, unison } from './kit/folder-peers.ts';
import { numberGiven, type Running, startServer } from './kit/processes.ts';
import { cpuOfEnded, runProgram, startProgram } from './kit/programs.ts';
import { notePath, noteText } from './kit/texts.ts';
import { newKey, signUp } from './kit/vault.ts';

// How long do two folders of 10,000 notes of 2 KB and 200 files of 1 MB take to become equal, to find out that they are,
// and to pass on one change, beside unison, rclone bisync (neither of which uses a server) and two instances of
// syncthing? Ours goes through a server of its own. `--compiled` runs ours from dist/, as it is published.
const NOTES = numberGiven(10_000);
const FILES = NOTES / 50;
const FILE_BYTES = 1 << 20;
const CHANGES = 30;
const CHANGE_PATIENCE_MS = 60_000;
const IDLE_MS = 15_000;

const root = join(import.meta.dirname, '..');
const main = process.argv.includes('--compiled') ? 'dist/cli/src/main.js' : 'cli/src/main.ts';

function fill(folder: string): void {
  for (let index = 0; index < NOTES; index++) put(join(folder, notePath(index)), noteText(index, 2000));
  for (let index = 0; index < FILES; index++) {
    const text = Buffer.alloc(FILE_BYTES, noteText(index + NOTES, 5000));
    put(join(folder, `files/file ${index}.txt`), text);
  }
}

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Our own command on two machines of one user. */
async function notevault(home: string, server: Running): Promise<FolderSyncer> {
  const headers = await signUp(server.url);
  const key = await newKey(server.url, headers);
  const envOf = (machine: string) => ({
    NOTEVAULT_TOKEN: key,
    XDG_STATE_HOME: join(home, machine, 'state'),
    XDG_CONFIG_HOME: join(home, machine, 'config'),
  });
  const args = (folder: string, ...more: string[]) => {
    const vault = headers['x-vault-id'] ?? '';
    return [join(root, main), 'sync', '--yes', '--url', server.url, '--vault', vault, ...more, folder];
  };
  const once = (machine: string, folder: string) =>
    runProgram(process.execPath, args(folder, '--once'), envOf(machine));
  return {
    name: 'notevault sync',
    async first(here, there) {
      const [up, down] = [await once('here', here), await once('there', there)];
      console.log(`up ${seconds(up)}, down ${seconds(down)}`);
      return up + down;
    },
    again: async (here) => once('here', here),
    cpu: () => server.cpu(),
    async watch(here, there) {
      const programs = [
        startProgram(process.execPath, args(here), envOf('here')),
        startProgram(process.execPath, args(there), envOf('there')),
      ];
      return programs;
    },
  };
}

/** Waits until a change of one folder is in the other; null when it does not come. */
async function arrival(here: string, there: string, path: string, text: string): Promise<number | null> {
  const target = join(there, path);
  put(join(here, path), text);
  const from = performance.now();
  while (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    if (performance.now() - from > CHANGE_PATIENCE_MS) return null;
    await wait(2);
  }
  return performance.now() - from;
}

async function measure(syncer: FolderSyncer, folder: string) {
  const [here, there] = [join(folder, 'here'), join(folder, 'there')];
  fill(here);
  mkdirSync(there);
  const cpu = async () => (await cpuOfEnded()) + (await syncer.cpu());
  const before = await cpu();
  const first = await syncer.first(here, there);
  const used = (await cpu()) - before;
  const again = await syncer.again(here, there);
  const programs = await syncer.watch(here, there);
  const changes: number[] = [];
  if (programs === null) {
    put(join(here, notePath(1)), 'changed\n');
    changes.push((await syncer.again(here, there)) ?? 0);
  } else {
    // The first ones find out when everything is watched.
    for (let index = 0; index < 3; index++) await arrival(here, there, notePath(index), `warm ${index}\n`);
    for (let index = 0; index < CHANGES; index++) {
      await wait(300 + (index % 7) * 50);
      const text = `${noteText(index, 2000)}changed ${index}\n`;
      changes.push((await arrival(here, there, notePath(index), text)) ?? Number.POSITIVE_INFINITY);
    }
  }
  const counted = readdirSync(there, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !`${entry.parentPath}/${entry.name}`.includes('/.'),
  );
  const idle = programs === null ? null : await idleOf(programs);
  for (const program of programs ?? []) await program[Symbol.asyncDispose]();
  changes.sort((a, b) => a - b);
  return {
    program: syncer.name,
    files: counted.length,
    'first sync': seconds(first),
    processor: seconds(used * 1000),
    'nothing changed': again === null ? 'runs always' : seconds(again),
    'one change p50': `${Math.round(changes[changes.length >> 1] ?? 0)} ms`,
    p95: `${Math.round(changes[Math.floor(changes.length * 0.95)] ?? 0)} ms`,
    'idle processor': idle === null ? '' : `${idle.cpu} %`,
    memory: idle === null ? '' : `${idle.memory} MB`,
  };
}

/** Returns the idle load of the second program, which has received everything. */
async function idleOf(programs: Awaited<ReturnType<FolderSyncer['watch']>>) {
  const program = programs?.at(-1);
  if (program === undefined) return null;
  // Until everything has been listed once more, and V8 has collected the garbage of the work and returned its memory,
  // which it does twice within about 30 s.
  await wait(45_000);
  const before = await program.cpu();
  await wait(IDLE_MS);
  const cpu = Math.round((((await program.cpu()) - before) / IDLE_MS) * 1e7) / 100;
  return { cpu, memory: Math.round(await program.memory()) };
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

type Maker = (home: string, opened: AsyncDisposableStack) => Promise<FolderSyncer | null>;

const makers: Readonly<Record<string, Maker>> = {
  notevault: async (home, opened) => notevault(home, opened.use(await startServer())),
  unison: async (home) => unison(home),
  rclone: async (home) => rclone(home),
  syncthing: async (home) => syncthing(home),
};
const rows = [];
const only = Object.keys(makers).filter((name) => process.argv.includes(`--${name}`));
for (const [name, make] of Object.entries(makers)) {
  if (only.length > 0 && !only.includes(name)) continue;
  const folder = await mkdtemp(join(tmpdir(), 'notevault-bench-'));
  try {
    await using opened = new AsyncDisposableStack();
    mkdirSync(join(folder, 'home'));
    const syncer = await make(join(folder, 'home'), opened);
    if (syncer === null) console.log(`${name} is not installed.`);
    else {
      const row = await measure(syncer, folder);
      console.log(JSON.stringify(row));
      rows.push(row);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
console.table(rows);
