import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';

const CLOCK_TICKS = 100;

/** A program that runs until it is disposed. */
export interface RunningProgram extends AsyncDisposable {
  /** Resident memory in MB, with that of its children. */
  memory(): Promise<number>;
  /** Processor time so far in seconds, with that of its children. */
  cpu(): Promise<number>;
  /** Returns the output so far. */
  output(): string;
}

/** Processor time in seconds of the programs that have ended: unlike wall time it hardly depends on other work. */
export async function cpuOfEnded(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / CLOCK_TICKS;
}

/** The first line that a program prints about its version; null when it is not installed. */
export function versionOf(command: string, flag: string): string | null {
  const { status, stdout } = spawnSync(command, [flag], { encoding: 'utf8' });
  return status === 0 ? (stdout.split('\n')[0] ?? '') : null;
}

/** Runs a program to its end; resolves to the milliseconds it took. Throws if it fails. */
export async function runProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  accepted: readonly number[] = [0],
): Promise<number> {
  const from = performance.now();
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (!accepted.includes(code ?? -1)) throw new Error(`${command} ended with ${code}: ${output.slice(-2000)}`);
  return performance.now() - from;
}

export function startProgram(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): RunningProgram {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const sum = async (of: (pid: number) => Promise<number>) => {
    const values = await Promise.all((await familyOf(child)).map((pid) => of(pid).catch(() => 0)));
    return values.reduce((total, value) => total + value, 0);
  };
  return {
    memory: () =>
      sum(async (pid) => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024),
    cpu: () =>
      sum(async (pid) => {
        const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS;
      }),
    output: () => output,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** A process and its descendants. */
async function familyOf({ pid = 0 }: ChildProcess): Promise<number[]> {
  const found = [pid];
  for (const parent of found) {
    // Each thread has children of its own.
    for (const thread of await readdir(`/proc/${parent}/task`).catch(() => [])) {
      const children = await readFile(`/proc/${parent}/task/${thread}/children`, 'utf8').catch(() => '');
      found.push(...children.split(' ').filter(Boolean).map(Number));
    }
  }
  return found;
}
