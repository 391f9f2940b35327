/** Writes unsigned integers below 2^32 as LEB128: 7 bits a byte, lowest first; the top bit says that more follow. */
export class VarintWriter {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 16) {
    this.bytes = new Uint8Array(capacity);
  }

  #reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length + (this.bytes.length >> 1) + 16));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  write(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }

  append(source: Uint8Array, start = 0, end = source.length): void {
    this.#reserve(end - start);
    // Most sources are a few bytes long: for those a call of `set` costs more than the loop.
    if (end - start > 32) this.bytes.set(source.subarray(start, end), this.length);
    else for (let from = start, to = this.length; from < end; from++, to++) this.bytes[to] = source[from] ?? 0;
    this.length += end - start;
  }

  /** Returns a copy of what was written, without spare capacity. */
  toBytes(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }
}

/** Reads a varint at an offset. Past the end of the bytes it reads zeros. */
export function readVarint(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let offset = start;
  let byte = bytes[offset++] ?? 0;
  let value = byte & 0x7f;
  for (let shift = 7; byte >= 0x80 && shift < 35; shift += 7) {
    byte = bytes[offset++] ?? 0;
    value |= (byte & 0x7f) << shift;
  }
  return { value: value >>> 0, end: offset };
}
