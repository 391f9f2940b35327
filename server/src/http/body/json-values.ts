const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/**
 * Counts the values of a JSON text while its bytes arrive: lists, objects, and values separated by commas. Parsing
 * takes half a microsecond and tens of bytes of memory per value and cannot be interrupted: 16 MB of empty lists would
 * block the event loop for seconds.
 */
export class JsonValueCounter {
  #inString = false;
  /** Whether the last byte was a backslash, so that the next one does not end the text. */
  #escaped = false;
  /** Number of values so far; at most one too many. */
  count = 1;

  add(bytes: Uint8Array): void {
    const { length } = bytes;
    let inString = this.#inString;
    let count = this.count;
    let at = this.#escaped ? 1 : 0;
    // An index is five times as fast as an iterator.
    for (; at < length; at++) {
      const byte = bytes[at];
      if (inString) {
        if (byte === BACKSLASH) at += 1;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === COMMA || byte === LIST || byte === OBJECT) count += 1;
    }
    this.#inString = inString;
    this.#escaped = at > length;
    this.count = count;
  }
}
