/** Unsigned integers of 7 bits a byte, least first; the top bit says that more follow (LEB128). Values below 2^32. */
export class Bytes {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 16) {
    this.bytes = new Uint8Array(capacity);
  }

  #room(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length + (this.bytes.length >> 1) + 16));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  varint(value: number): void {
    this.#room(5);
    let left = value;
    while (left > 0x7f) {
      this.bytes[this.length++] = (left & 0x7f) | 0x80;
      left >>>= 7;
    }
    this.bytes[this.length++] = left;
  }

  append(source: Uint8Array, start = 0, end = source.length): void {
    this.#room(end - start);
    // Most pieces are a few bytes long: a call of `set` costs more than the copying.
    if (end - start > 32) this.bytes.set(source.subarray(start, end), this.length);
    else for (let at = start, to = this.length; at < end; at++, to++) this.bytes[to] = source[at] ?? 0;
    this.length += end - start;
  }

  /** What was written, without room to grow. */
  taken(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }
}

/** Reads what Bytes writes. Past the end it reads zeros. */
export class Reader {
  readonly bytes: Uint8Array;
  at: number;
  readonly end: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  varint(): number {
    const { bytes } = this;
    let byte = bytes[this.at++] ?? 0;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; shift < 35; shift += 7) {
      byte = bytes[this.at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value >>> 0;
  }
}
