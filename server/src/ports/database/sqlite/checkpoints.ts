import { stat } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../program/program.ts';
import { PAGE_BYTES } from './connection.ts';

export interface CheckpointOrder {
  readonly mode: 'passive' | 'restart' | 'truncate';
  /** Minimum pages in the file for a checkpoint: copying a few costs as much as copying many. */
  readonly fromPages: number;
}

export type CheckpointAnswer =
  | { readonly pages: number; readonly copied: number }
  | { readonly failure: string; readonly code: number };

/** 4 MB: the least worth copying. */
const FEW_PAGES = 1000;
/** 16 MB: from here on the writer is paused for a moment, so that the file starts again from its beginning. */
const MANY_PAGES = 4000;
const QUIET_POLLS = 20;
/** Interval of checking the file's size, and how long the idle thread, of 10 MB, is kept. */
const TIMES = { pollMs: 100, idleMs: 5000 };

/**
 * Keeps the `-wal` file small without the writer ever copying a page. Passive checkpoints run beside the writer, which
 * may outrun them. So when the file has grown and little is left to copy, the writer is paused for that rest, and its
 * next commit reuses the file from the start. After two idle seconds the file is emptied, so that it no longer contains
 * deleted rows.
 */
export class Checkpoints {
  readonly #file: string;
  readonly #hold: (work: () => Promise<void>) => Promise<void>;
  readonly #failed: (cause: Error) => void;
  readonly #times: typeof TIMES;
  #timer: NodeJS.Timeout | undefined;
  #quietPolls = 0;
  #poll: Promise<void> | undefined;
  #requested: PromiseWithResolvers<CheckpointAnswer> | undefined;
  /** Started when there is something to copy, and ended some time after that. */
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Resolves when the thread that was ended last has closed its connection. */
  #ended: Promise<void> = Promise.resolve();
  #onExit = false;

  /**
   * @param hold keeps the writer from the write lock while a function runs.
   * @param failed called when checkpoints have become impossible.
   */
  constructor(
    file: string,
    hold: (work: () => Promise<void>) => Promise<void>,
    failed: (cause: Error) => void,
    times = TIMES,
  ) {
    this.#file = file;
    this.#times = times;
    this.#hold = hold;
    this.#failed = failed;
  }

  noticeCommit(): void {
    this.#quietPolls = 0;
    this.#timer ??= setInterval(() => {
      this.#poll ??= this.#pollOnce().finally(() => {
        this.#poll = undefined;
      });
    }, this.#times.pollMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#poll;
    await this.#end();
  }

  /** Ends the thread, if there is one. The next request starts another at once, even while this one is still ending. */
  #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (worker === undefined || this.#onExit) return this.#ended;
    this.#worker = undefined;
    const exit = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage('close');
    this.#ended = Promise.all([this.#ended, exit]).then(() => undefined);
    return this.#ended;
  }

  async #pollOnce(): Promise<void> {
    this.#quietPolls++;
    if (this.#quietPolls >= QUIET_POLLS) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      await this.#order({ mode: 'truncate', fromPages: 1 });
      this.#idle = setTimeout(() => void this.#end(), this.#times.idleMs).unref();
      return;
    }
    // A log file that was never larger needs no thread to measure it.
    if ((await walBytes(this.#file)) < FEW_PAGES * PAGE_BYTES) return;
    let answer = await this.#order({ mode: 'passive', fromPages: FEW_PAGES });
    // Each round copies what was written during the one before, so each is shorter.
    for (let round = 0; round < 5 && answer.pages - answer.copied > FEW_PAGES; round++) {
      answer = await this.#order({ mode: 'passive', fromPages: FEW_PAGES });
    }
    if (answer.pages < MANY_PAGES) return;
    await this.#hold(async () => {
      await this.#order({ mode: 'restart', fromPages: MANY_PAGES });
    });
  }

  async #order(order: CheckpointOrder): Promise<{ pages: number; copied: number }> {
    const answer = await this.#request(order);
    if (!('failure' in answer)) return answer;
    // Other errors (another process copies, a reader keeps an old snapshot, no space) may be gone next time.
    if (FATAL.has(answer.code & 0xff)) this.#failed(new Error(`the checkpoint failed: ${answer.failure}`));
    return { pages: 0, copied: 0 };
  }

  #request(order: CheckpointOrder): Promise<CheckpointAnswer> {
    if (this.#onExit) return Promise.resolve(NOTHING);
    clearTimeout(this.#idle);
    this.#requested = Promise.withResolvers();
    this.#worker ??= this.#start();
    this.#worker.postMessage(order);
    return this.#requested.promise;
  }

  #start(): Worker {
    const script = import.meta.url.endsWith('.ts') ? './checkpoint-worker.ts' : './checkpoint-worker.js';
    const worker = startThread(new URL(script, import.meta.url), { workerData: { file: this.#file } });
    worker.unref();
    worker.on('message', (answer: CheckpointAnswer) => this.#requested?.resolve(answer));
    worker.on('error', (error) => {
      this.#onExit = true;
      this.#requested?.resolve(NOTHING);
      this.#failed(error instanceof Error ? error : new Error(String(error)));
    });
    return worker;
  }
}

/** The size of the `-wal` file in bytes; 0 if it cannot be read, which the thread finds out when it empties the file. */
async function walBytes(file: string): Promise<number> {
  return (await stat(`${file}-wal`).catch(() => undefined))?.size ?? 0;
}

/** I/O error, damaged file. */
const FATAL = new Set([10, 11]);
const NOTHING: CheckpointAnswer = { pages: 0, copied: 0 };
