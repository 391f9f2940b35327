const WINDOW_BYTES = 256 * 1024;

/** Random access to bytes. A read past the end returns fewer. */
export interface ByteSource {
  readonly size: number;
  read(start: number, length: number): Promise<Buffer>;
  /** The bytes from `start` up to, not including, `end`. */
  stream(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Reads any part of some stored bytes. Short reads near each other cost one read of the store. */
export class RangeReader implements ByteSource {
  readonly size: number;
  readonly #open: (start: number, end: number) => AsyncIterable<Uint8Array>;
  #window: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };

  /** @param open returns the bytes from `start` up to, not including, `end`. */
  constructor(size: number, open: (start: number, end: number) => AsyncIterable<Uint8Array>) {
    this.size = size;
    this.#open = open;
  }

  async read(start: number, length: number): Promise<Buffer> {
    const end = Math.min(this.size, start + length);
    if (start >= end) return Buffer.alloc(0);
    const { start: from, bytes } = this.#window;
    if (start < from || end > from + bytes.length) await this.#fill(start, Math.max(end, start + WINDOW_BYTES));
    const at = start - this.#window.start;
    return this.#window.bytes.subarray(at, at + end - start);
  }

  stream(start: number, end: number): AsyncIterable<Uint8Array> {
    return this.#open(start, Math.min(this.size, end));
  }

  /** Returns a part of the bytes as a reader of its own, which shares the window. */
  part(from: number, size: number): ByteSource {
    return {
      size,
      read: (start, length) => this.read(from + start, Math.min(length, size - start)),
      stream: (start, end) => this.stream(from + start, from + Math.min(size, end)),
    };
  }

  async #fill(start: number, end: number): Promise<void> {
    const pieces: Buffer[] = [];
    // A piece may be overwritten when the next one is read.
    for await (const piece of this.#open(start, Math.min(this.size, end))) pieces.push(Buffer.from(piece));
    this.#window = { start, bytes: Buffer.concat(pieces) };
  }
}
