import { parentPort, Worker } from 'node:worker_threads';

/** A request to send unchanged. */
export interface ThreadRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

export interface ThreadAnswer {
  readonly status: number;
  /** The beginning of the body. */
  readonly text: string;
}

/** A client on its own thread, so that its work is not measured as the server's. */
export class ClientThread implements AsyncDisposable {
  readonly #worker = new Worker(new URL(import.meta.url));
  readonly #waiting = new Map<number, (answer: ThreadAnswer) => void>();
  #last = 0;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', ({ number, answer }: { number: number; answer: ThreadAnswer }) => {
      this.#waiting.get(number)?.(answer);
      this.#waiting.delete(number);
    });
  }

  send(request: ThreadRequest): Promise<ThreadAnswer> {
    const { promise, resolve } = Promise.withResolvers<ThreadAnswer>();
    this.#last += 1;
    this.#waiting.set(this.#last, resolve);
    this.#worker.postMessage({ number: this.#last, request });
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}

parentPort?.on('message', async ({ number, request }: { number: number; request: ThreadRequest }) => {
  const { url, body, ...rest } = request;
  const answer = await fetch(url, { ...rest, body: (body as string | undefined) ?? null }).then(
    async (response) => ({ status: response.status, text: (await response.text()).slice(0, 500) }),
    (error: unknown) => ({ status: 0, text: String(error) }),
  );
  parentPort?.postMessage({ number, answer });
});
