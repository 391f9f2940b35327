import { createHash } from 'node:crypto';

/** Reads a body in parts; when a client hangs up, the last part ends early, and `failure` has the reason. */
export class SliceReader {
  readonly #source: AsyncIterator<Buffer>;
  readonly #hash = createHash('sha256');
  #buffered: Buffer[] = [];
  #bufferedBytes = 0;
  #ended = false;
  #received = 0;
  #taken = 0;
  #digest: Buffer | null = null;
  failure: unknown = null;

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  get received(): number {
    return this.#received;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Waits for some bytes, fewer only at the end of the body, and resolves to how many can be taken. */
  async ready(bytes: number): Promise<number> {
    while (!this.#ended && this.#bufferedBytes < bytes) await this.#pull();
    return this.#bufferedBytes;
  }

  /** Yields the next `max` bytes, or fewer if the body ends. */
  async *take(max: number): AsyncGenerator<Buffer> {
    for (let left = max; left > 0; ) {
      if (this.#buffered.length === 0) {
        if (this.#ended) return;
        await this.#pull();
        continue;
      }
      const [next = Buffer.alloc(0), ...rest] = this.#buffered;
      const piece = next.subarray(0, left);
      this.#buffered = piece.length < next.length ? [next.subarray(left), ...rest] : rest;
      this.#bufferedBytes -= piece.length;
      this.#taken += piece.length;
      left -= piece.length;
      yield piece;
    }
  }

  /** The SHA-256 of all bytes, at the end of the body. */
  digest(): Buffer {
    this.#digest ??= this.#hash.digest();
    return this.#digest;
  }

  async #pull(): Promise<void> {
    try {
      const { done, value } = await this.#source.next();
      if (done === true) {
        this.#ended = true;
        return;
      }
      this.#buffered.push(value);
      this.#bufferedBytes += value.length;
      this.#received += value.length;
      this.#hash.update(value);
    } catch (error) {
      this.failure = error;
      this.#ended = true;
    }
  }
}
