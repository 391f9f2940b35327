import { NotevaultError } from '@notevault/protocol/errors.ts';
import { freeBuffer } from '../../ports/gc/gc.ts';

/** The beginning of a key that must be dropped, plain or escaped; only texts with one are parsed with a reviver. */
const SUSPICIOUS = /__proto__|\\u00[5-7]/i;
/** Matches the escape of half a surrogate pair; only texts with a match are searched for one without its other half. */
const SURROGATE = /\\ud[89a-f]/i;
/** A match that two pieces share begins at most this many characters before the second one. */
const SHARED_LENGTH = '__proto__'.length - 1;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
/** Inside a text the same three bytes are a character. */
const innerDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A JSON text in strict UTF-8 that is decoded while its bytes arrive: joining, decoding and checking 16 MB at once
 * would block the event loop several times as long as parsing alone.
 */
export class JsonText {
  readonly #pieces: string[] = [];
  /** The beginning of a character whose other bytes are in the next chunk. */
  #carry: Buffer = Buffer.alloc(0);
  /** The last characters so far. */
  #end = '';
  #isEmpty = true;
  #isSuspicious = false;
  #hasSurrogates = false;
  #isMalformed = false;

  /** Decodes a chunk, and frees its memory at once: the garbage collector would wait until 64 MB have piled up. */
  add(chunk: Buffer): void {
    if (chunk.length === 0 || this.#isMalformed) return;
    const bytes = this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk]);
    const end = bytes.length - cutCharacter(bytes);
    this.#carry = Buffer.from(bytes.subarray(end));
    this.#decode(bytes.subarray(0, end));
    this.#isEmpty = false;
    freeBuffer(chunk);
  }

  /** Parses the text; an empty one is undefined. Throws `invalid_json`, and `validation` for half a surrogate pair. */
  parse(): unknown {
    if (this.#isEmpty) return undefined;
    const value = this.#parsed();
    if (this.#hasSurrogates) checkWellFormed(value);
    return value;
  }

  #parsed(): unknown {
    this.#decode(this.#carry);
    if (this.#isMalformed) throw new NotevaultError('invalid_json');
    const text = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('');
    this.#pieces.length = 0;
    try {
      // A reviver is slow, because it is called for each value.
      return this.#isSuspicious ? JSON.parse(text, withoutPrototype) : JSON.parse(text);
    } catch {
      throw new NotevaultError('invalid_json');
    }
  }

  #decode(bytes: Buffer): void {
    if (bytes.length === 0) return;
    try {
      const piece = (this.#pieces.length === 0 ? decoder : innerDecoder).decode(bytes);
      const searched = this.#end + piece;
      this.#isSuspicious ||= SUSPICIOUS.test(searched);
      this.#hasSurrogates ||= SURROGATE.test(searched);
      this.#end = searched.slice(-SHARED_LENGTH);
      this.#pieces.push(piece);
    } catch {
      this.#isMalformed = true;
      this.#pieces.length = 0;
    }
  }
}

/** Returns how many bytes at the end are the beginning of a UTF-8 character. */
function cutCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0x80 && byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** Refuses half a surrogate pair, which UTF-8 cannot encode. The error names the field. */
function checkWellFormed(body: unknown): void {
  const fields = isObject(body) ? Object.entries(body) : [['body', body] as const];
  for (const [field, value] of fields) {
    const waiting = [field, value];
    while (waiting.length > 0) {
      const next = waiting.pop();
      if (typeof next === 'string' && !next.isWellFormed()) {
        throw new NotevaultError('validation', { errors: { [field.toWellFormed()]: ['must be valid UTF-8'] } });
      }
      if (isObject(next)) for (const [key, inner] of Object.entries(next)) waiting.push(key, inner);
    }
  }
}

/** Whether a value has entries: an object or a list. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Drops `__proto__` keys, which would change the prototype of a copy made by assignment. */
function withoutPrototype(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

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
