import type { Worker } from 'node:worker_threads';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Desk, Question, Reply } from './desk.ts';
import type { Parcel } from './parcel.ts';

type Ask<Verb extends keyof Desk> = Parameters<Desk[Verb]>[0];
type Answer<Verb extends keyof Desk> = Awaited<ReturnType<Desk[Verb]>>;

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** The thread ended before it answered. What it held is lost, and nothing but that: asking again builds it again. */
export class ThreadDied extends Error {
  override readonly name = 'ThreadDied';
}

/** More questions at once than this are refused: an answer would come too late for whoever asked. */
const maxWaiting = 512;
const deadlineMs = 30_000;

/** Asks the search thread, which is started when it is needed, and again when it died. */
export class SearchThread implements AsyncDisposable {
  readonly #start: () => Worker;
  readonly #failed: (failure: string) => void;
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;
  #bytes = 0;
  #closed = false;

  /** `failed` hears of failures by name, never with words of a note. */
  constructor(start: () => Worker, failed: (failure: string) => void) {
    this.#start = start;
    this.#failed = failed;
  }

  /**
   * Throws `unavailable` when too much is asked or no answer comes in time, ThreadDied when the thread ended meanwhile.
   *
   * @param parcel what of the question is moved there.
   */
  async ask<Verb extends keyof Desk>(verb: Verb, ask: Ask<Verb>, parcel?: Parcel): Promise<Answer<Verb>> {
    if (this.#closed || this.#waiting.size >= maxWaiting) throw new NotevaultError('unavailable');
    const worker = this.#running();
    const number = ++this.#number;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => reject(new NotevaultError('unavailable')), deadlineMs).unref();
    this.#waiting.set(number, { resolve, reject });
    try {
      worker.postMessage({ number, verb, ask } satisfies Question, parcel?.buffers);
      return (await promise) as Answer<Verb>;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(number);
    }
  }

  /** Memory that indexes take, as of the last answer. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Questions without an answer yet. */
  get questions(): number {
    return this.#waiting.size;
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = this.#start();
    worker.unref();
    worker.on('message', (reply: Reply) => {
      const waiting = this.#waiting.get(reply.number);
      if ('answer' in reply) {
        this.#bytes = reply.bytes;
        waiting?.resolve(reply.answer);
      } else {
        this.#failed(reply.failure);
        waiting?.reject(new Error(`the search thread failed: ${reply.failure}`));
      }
    });
    worker.on('error', (error) => this.#failed(error instanceof Error ? error.name : 'unknown'));
    worker.on('exit', () => this.#end(worker));
    this.#worker = worker;
    return worker;
  }

  #end(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#bytes = 0;
    for (const { reject } of this.#waiting.values()) reject(new ThreadDied());
    this.#waiting.clear();
  }

  /** Ends the thread as a fault would; the next question starts another. */
  async kill(): Promise<void> {
    await this.#worker?.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.kill();
  }
}
