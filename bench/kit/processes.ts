import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { durablePostgres, type FreshDatabase } from '../../server/test/kit/database/postgres.ts';
import { addressIn } from '../../server/test/kit/setup-tokens.ts';

/** Ticks per second in Linux's process accounting (sysconf _SC_CLK_TCK). */
const CLOCK_TICKS = 100;

const root = join(import.meta.dirname, '../..');

/** A server in its own process, so that the load generator does not share its event loop. */
export interface Running extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  /** Resident memory in MB. */
  memory(): Promise<number>;
  /** Resident memory, and the part in use, after a garbage collection. */
  collected(): Promise<Collected>;
  /** The peak resident memory in MB since the start or since `resetPeak`. */
  peakMemory(): Promise<number>;
  resetPeak(): Promise<void>;
  /**
   * Resident memory without mapped files, in MiB: the system keeps file pages in memory only as long as it has space.
   */
  ownMemory(): Promise<number>;
  /** Processor time used so far, in seconds; unlike wall time it hardly depends on other work of the machine. */
  cpu(): Promise<number>;
  /** Ends the process and starts another one over the same data. */
  restarted(): Promise<Running>;
  /** The event loop delays that the process last reported, after `SIGUSR2`. */
  loopDelay(): Promise<LoopDelay>;
}

/** Memory of a process after a garbage collection, by owner, in MB. */
export interface Collected {
  readonly resident: number;
  /** The part that is pages of mapped files, which the system reclaims when it needs space. */
  readonly files: number;
  readonly own: number;
  /** V8's heap of the main thread, the part of it in use, and the memory outside it that V8 accounts for. */
  readonly heap: number;
  readonly heapUsed: number;
  readonly external: number;
  /** The heaps of all other threads, and the memory outside them that V8 accounts for. */
  readonly threadHeaps: number;
  readonly threadExternal: number;
}

export interface LoopDelay {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Returns the first number among the bench's arguments, or `otherwise`. */
export function numberGiven(otherwise: number): number {
  return Number(process.argv.slice(2).find((arg) => /^\d+$/.test(arg)) ?? otherwise);
}

/** Whether the settings of PostgreSQL were printed: a bench of several rounds starts several databases. */
let isSaid = false;

/** A fresh database on a PostgreSQL server of its own, or null without `--postgres` among the arguments of the bench. */
export async function databaseOfBench(): Promise<FreshDatabase | null> {
  if (!process.argv.includes('--postgres')) return null;
  if (!isSaid) console.log('on PostgreSQL, with fsync and synchronous_commit on');
  isSaid = true;
  return durablePostgres();
}

/** Starts the server on SQLite, or, with `--postgres` among the arguments of the bench, on PostgreSQL. */
export async function startServer(env: NodeJS.ProcessEnv = {}): Promise<Running> {
  return startServerOn(await databaseOfBench(), env);
}

/** Starts the server on a database, which is dropped with it, or on SQLite. */
export async function startServerOn(database: FreshDatabase | null, env: NodeJS.ProcessEnv = {}): Promise<Running> {
  const serve = ['serve', '--port', '0'];
  if (database === null) return startProcess('cli/src/main.ts', serve, env);
  const running = await startProcess('cli/src/main.ts', serve, { ...env, NOTEVAULT_DATABASE_URL: database.url });
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Starts a script that prints a line with its `http://…` address, in a folder that is removed with it. */
export async function startProcess(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  inFolder: string | null = null,
): Promise<Running> {
  const folder = inFolder ?? (await mkdtemp(join(tmpdir(), 'notevault-bench-')));
  const probes = ['loop-probe.ts', 'memory-probe.ts'].flatMap((name) => ['--import', join(import.meta.dirname, name)]);
  const child = spawn(process.execPath, [...probes, join(root, script), ...args], {
    cwd: folder,
    env: { ...process.env, NOTEVAULT_DATA_DIR: folder, NOTEVAULT_LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines = linesOf(child);
  const end = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  const statusMb = async (field: string) => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  };
  const [line, url = ''] = await lines.waitFor(/.*listens on (\S+)\n[\s\S]*/);
  addressIn(line);
  return {
    ...{ url, folder },
    memory: () => statusMb('VmRSS'),
    peakMemory: () => statusMb('VmHWM'),
    resetPeak: () => writeFile(`/proc/${child.pid}/clear_refs`, '5'),
    collected: async () => {
      child.kill('SIGUSR1');
      return JSON.parse((await lines.waitFor(/^memory (.*)$/m))[1] ?? '{}') as Collected;
    },
    ownMemory: () => statusMb('RssAnon'),
    cpu: async () => {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS;
    },
    loopDelay: async () => {
      child.kill('SIGUSR2');
      return JSON.parse((await lines.waitFor(/^loop (.*)$/m))[1] ?? '{}') as LoopDelay;
    },
    async restarted() {
      await end();
      return startProcess(script, args, env, folder);
    },
    async [Symbol.asyncDispose]() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function linesOf(child: ChildProcess) {
  let said = '';
  const add = (chunk: Buffer) => {
    said += chunk.toString('utf8');
    child.emit('said');
  };
  child.once('exit', () => child.emit('said'));
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  return {
    async waitFor(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(said);
        if (found !== null) {
          said = said.slice(found.index + found[0].length);
          return found;
        }
        if (child.exitCode !== null) throw new Error(`the process ended: ${said}`);
        await once(child, 'said');
      }
    },
  };
}
