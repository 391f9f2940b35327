import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { getHeapStatistics } from 'node:v8';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { leanStart } from '../../../src/config/process-memory.ts';
import { addressIn } from '../setup-tokens.ts';

/*
 * Runs the `notevault` command in its own processes, because the effect of a fault on a server can only be seen from
 * outside.
 */

const root = join(import.meta.dirname, '../../../..');
/** The command: its source, or in a whole run the bundle of it. */
export const main = process.env.TEST_PROGRAM ?? join(root, 'cli/src/main.ts');
/** The program that `npm run build` makes. */
export const BUNDLED = join(root, 'dist/cli/src/main.js');
/** A start that takes longer has failed. On a machine with much else to do, one of a second takes a minute. */
const PATIENCE_MS = 180_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Environment = Readonly<Record<string, string>>;

/** The environment of a process: only the given variables and the path to programs. */
function environment(given: Environment): Environment {
  return {
    PATH: process.env.PATH ?? '',
    HOME: tmpdir(),
    // Most of a start is reading source; processes share the compile cache.
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
    ...given,
  };
}

/** A folder for one test, removed with its contents. */
export class Folder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'notevault-test-'));

  at(...names: string[]): string {
    return join(this.path, ...names);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A folder for all tests of a suite or file. */
export function suiteFolder(): Folder {
  const folder = new Folder();
  after(() => folder[Symbol.dispose]());
  return folder;
}

/** Runs a command until it ends, however long that takes: the runner of the tests ends one that hangs. */
export async function cli(
  args: readonly string[],
  { env = {}, input = '', executable }: { env?: Environment; input?: string; executable?: string } = {},
): Promise<Ended> {
  const [program, script] = executable === undefined ? [process.execPath, [main]] : [executable, []];
  const child = spawn(program, [...script, ...args], { env: environment(env), stdio: 'pipe' });
  // A command that ends without reading its input closes the pipe.
  child.stdin.on('error', () => undefined).end(input);
  return ended(child);
}

/** A command that runs until it is stopped. */
export class RunningCli implements Disposable {
  readonly #child: ChildProcess;
  readonly #output = { stdout: '', stderr: '' };
  readonly ended: Promise<Ended>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = ended(child, this.#output);
  }

  /** Returns its output so far. */
  stdout(): string {
    return this.#output.stdout;
  }

  stderr(): string {
    return this.#output.stderr;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Runs `act` while the process stands still, so that the process sees all that it does or nothing. Linux only. */
  meanwhileStopped(act: () => void): void {
    const { pid } = this.#child;
    const hasEnded = () => this.#child.exitCode !== null || this.#child.signalCode !== null;
    if (pid !== undefined && !hasEnded()) {
      this.#child.kill('SIGSTOP');
      while (!isStopped(pid));
    }
    act();
    this.#child.kill('SIGCONT');
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}

/** Whether every thread of a process is stopped, or the process has ended. */
function isStopped(pid: number): boolean {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    // The state follows the name, which is in parentheses and can hold anything.
    const stats = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'));
    return stats.every((stat) => /^[TZX]/.test(stat.slice(stat.lastIndexOf(')') + 2)));
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return false;
  }
}

/**
 * Returns how a command that goes on until it is stopped is started: as it would restart itself, which would take a
 * quarter of its start.
 */
function leanly(given: Environment): { execArgv: readonly string[]; env: NodeJS.ProcessEnv } {
  const env = environment(given);
  const heapLimitMb = getHeapStatistics().heap_size_limit / MB;
  const start = { platform: process.platform, version: process.versions.node, hasChannel: false, heapLimitMb };
  return leanStart({ ...start, execArgv: [], memoryMb: null, env }) ?? { execArgv: [], env };
}

/** Starts a command that goes on until it is stopped. */
export function startCli(args: readonly string[], { env: given = {} }: { env?: Environment } = {}): RunningCli {
  const { execArgv, env } = leanly(given);
  return new RunningCli(
    spawn(process.execPath, [...execArgv, main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

export interface ServeOptions {
  /** Extends the defaults of tests: a free port, open registration without rate limit. */
  readonly env: Environment & { readonly NOTEVAULT_DATA_DIR: string };
  /** Wraps the command, for example in a tracer: `[program, ...arguments]`. It must keep the process id. */
  readonly under?: readonly string[];
  /** The script of the command; `main` by default. */
  readonly main?: string;
  /** Whether it starts as people start it, and restarts itself. */
  readonly restarts?: boolean;
  /** The single executable, which is started alone and in its folder instead of the script. */
  readonly executable?: string;
}

/** A `notevault serve` process that was started but may not listen yet. */
export class ServeProcess implements AsyncDisposable {
  readonly child: ChildProcess;
  /** The exit of the process; pending while it runs. */
  readonly ended: Promise<Ended>;
  readonly #listening: Promise<string>;

  constructor({ env: given, under = [], main: script = main, restarts = false, executable }: ServeOptions) {
    const tests = { NOTEVAULT_PORT: '0', NOTEVAULT_REGISTRATION: 'open', NOTEVAULT_AUTH_RATE_LIMIT: '0', ...given };
    const { execArgv, env } = restarts ? { execArgv: [], env: environment(tests) } : leanly(tests);
    const command = executable === undefined ? [process.execPath, ...execArgv, script, 'serve'] : [executable];
    const [program = '', ...args] = [...under, ...command];
    const cwd = executable === undefined ? undefined : dirname(executable);
    this.child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    this.ended = ended(this.child);
    this.#listening = this.#address();
    // Callers of `listening` get the rejection; without a caller it must not be unhandled.
    this.#listening.catch(() => undefined);
  }

  /** Its address, once it listens; rejects with its output when it ends first. */
  listening(): Promise<string> {
    return this.#listening;
  }

  #address(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let said = '';
    const late = () => {
      const [load = 0] = loadavg();
      const machine = `load ${load.toFixed(1)} on ${availableParallelism()} processors`;
      reject(new Error(`no start within ${PATIENCE_MS} ms (${machine}): ${said}`));
    };
    const deadline = setTimeout(late, PATIENCE_MS);
    this.child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const url = addressIn(said);
      if (url !== undefined) resolve(url);
    });
    this.ended.then(
      ({ code, signal }) => reject(new Error(`ended (${code ?? signal}) before it listened: ${said}`)),
      reject,
    );
    return promise.finally(() => clearTimeout(deadline));
  }

  /** Kills the process at once, like a power cut except for the page cache. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Stops the server as an operator does. */
  async stop(): Promise<Ended> {
    this.child.kill('SIGTERM');
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.kill();
  }
}

/** Starts a server and waits until it listens. */
export async function startServe(options: ServeOptions): Promise<ServeProcess & { readonly url: string }> {
  const server = new ServeProcess(options);
  return Object.assign(server, { url: await server.listening() });
}

async function ended(child: ChildProcess, output = { stdout: '', stderr: '' }): Promise<Ended> {
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, ...output };
}

/** Checks that the command ended with 1 and printed a readable reason. */
export function assertFails({ code, stdout, stderr }: Ended, says: RegExp): void {
  assert.equal(code, 1, stdout + stderr);
  assert.match(stderr, says);
  assert.doesNotMatch(stderr, /\n\s+at |unexpected error/, 'a sentence, not a stack');
}
