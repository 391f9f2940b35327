import { createHash } from 'node:crypto';
import type { NotevaultError } from '@notevault/protocol/errors.ts';
import { withSpaceFor } from '../../../../ports/gc/gc.ts';
import { checkHead, checkTail, HEAD_BYTES, TAIL_BYTES } from './mime-check.ts';

/** A maximum number of bytes, and the error for more. */
export interface SizeLimit {
  readonly bytes: number;
  readonly error: () => NotevaultError;
}

/**
 * Inspects the bytes of a file in transit: counts and hashes them, keeps the first and last ones, and ends the stream
 * with an error if the file is not accepted.
 */
export class ContentInspector {
  readonly #hash = createHash('sha256');
  readonly #head = Buffer.alloc(HEAD_BYTES);
  readonly #tail = new Tail(TAIL_BYTES);
  readonly #limits: readonly SizeLimit[];
  /** Returns the extension of the file's path; null until the path has arrived. */
  readonly #extension: () => string | null;
  #size = 0;
  #inspected = false;

  constructor(limits: readonly SizeLimit[], extension: () => string | null) {
    this.#limits = limits;
    this.#extension = extension;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the lower-case hex SHA-256 of all bytes; call it once. */
  hash(): string {
    return this.#hash.digest('hex');
  }

  /**
   * Returns the same bytes; the first ones are held back until there are enough to detect their type. Throws
   * `limit_exceeded`, `file_too_large`, `use_put`, `mime_not_allowed`.
   */
  async *pass(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      const before = this.#size;
      this.#addBytes(chunk);
      if (before >= HEAD_BYTES) {
        yield chunk;
        continue;
      }
      const room = HEAD_BYTES - before;
      this.#head.set(chunk.subarray(0, room), before);
      if (chunk.length < room) continue;
      await this.#inspect();
      yield this.#head;
      if (chunk.length > room) yield chunk.subarray(room);
    }
    if (this.#size < HEAD_BYTES) yield this.#head.subarray(0, this.#size);
    await this.finish();
  }

  /** Makes the checks that need the file's name or its last bytes. Throws `mime_not_allowed`. */
  async finish(): Promise<void> {
    if (!this.#inspected) await this.#inspect();
    const extension = this.#extension();
    if (extension !== null) checkTail(extension, this.#tail.bytes());
  }

  async #inspect(): Promise<void> {
    const extension = this.#extension();
    if (extension === null) return;
    await checkHead(extension, this.#head.subarray(0, Math.min(this.#size, HEAD_BYTES)));
    this.#inspected = true;
  }

  #addBytes(chunk: Uint8Array): void {
    this.#size += chunk.length;
    const passed = this.#limits.find(({ bytes }) => this.#size > bytes);
    if (passed !== undefined) throw passed.error();
    this.#hash.update(chunk);
    this.#tail.add(chunk);
  }
}

/** Keeps a copy of the last bytes of a stream: a view would keep its whole chunk in memory. */
class Tail {
  readonly #size: number;
  /** Grows to its size before bytes are overwritten. */
  #ring: Buffer = Buffer.alloc(0);
  #filled = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(chunk: Uint8Array): void {
    const size = this.#size;
    this.#ring = withSpaceFor(this.#ring, Math.min(size, this.#filled + chunk.length), size);
    const kept = chunk.subarray(Math.max(0, chunk.length - size));
    const at = (this.#filled + chunk.length - kept.length) % size;
    const untilEnd = Math.min(kept.length, size - at);
    this.#ring.set(kept.subarray(0, untilEnd), at);
    this.#ring.set(kept.subarray(untilEnd), 0);
    this.#filled += chunk.length;
  }

  bytes(): Buffer {
    const size = this.#size;
    if (this.#filled <= size) return this.#ring.subarray(0, this.#filled);
    const at = this.#filled % size;
    return Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]);
  }
}
