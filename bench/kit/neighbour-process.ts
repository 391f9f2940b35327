import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LoadTarget } from './neighbour-load.ts';

/** Latencies that another account measured. */
export interface Seen {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /** Number of answers that were not a success. */
  readonly refused: number;
}

/** The report of the probe when it ends. */
export interface ProbeReport {
  readonly me: Seen;
  readonly read: Seen;
  readonly search: Seen;
  readonly upsert: Seen;
}

/**
 * A script of the bench in its own process: it reports `ready`, works after `go`, and ends after `stop` with a report.
 */
export class Helper<Report> implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts the script; resolves when it is ready. */
  static async start<Report>(script: string, target: LoadTarget, ...args: readonly string[]): Promise<Helper<Report>> {
    const child = fork(join(import.meta.dirname, script), [JSON.stringify(target), ...args], { stdio: 'inherit' });
    const helper = new Helper<Report>(child);
    await helper.#message();
    return helper;
  }

  go(): void {
    this.#child.send('go');
  }

  /** Stops the script; resolves to its report. */
  async stop(): Promise<Report> {
    const report = this.#message();
    this.#child.send('stop');
    return (await report) as Report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  async #message(): Promise<unknown> {
    const [message] = await Promise.race([
      once(this.#child, 'message'),
      once(this.#child, 'exit').then(([code]) => {
        throw new Error(`a process of the bench ended with ${code}`);
      }),
    ]);
    return message;
  }
}

/** The script's side of Helper: calls `work` after `go`, and sends its result when `stop` has aborted the signal. */
export async function helperMain(
  prepare: (target: LoadTarget, args: readonly string[]) => Promise<(signal: AbortSignal) => Promise<unknown>>,
): Promise<void> {
  const [target = '{}', ...args] = process.argv.slice(2);
  const work = await prepare(JSON.parse(target) as LoadTarget, args);
  const stopping = new AbortController();
  process.on('message', async (message) => {
    if (message === 'stop') stopping.abort();
    if (message !== 'go') return;
    const report = await work(stopping.signal);
    // A load may end by itself; its report then waits for `stop`.
    if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
    process.send?.(report ?? null);
  });
  process.send?.('ready');
}
