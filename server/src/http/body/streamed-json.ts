import { NotevaultError } from '@notevault/protocol/errors.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { withSpaceFor } from '../../ports/gc/gc.ts';

/** One text field of a JSON object, of any length, separated from the other fields. */
export interface StreamedField {
  /** Whether the field exists and is a text. */
  readonly found: boolean;
  /**
   * The bytes of the text as they arrive, JSON escapes decoded. After iterating to the end, the whole body has been
   * read and `fields` is complete. Throws `invalid_json`, and the errors of the body.
   */
  readonly text: AsyncIterable<Buffer>;
  /** The object's fields before the text, and after reading, all fields; the text itself is empty in them. */
  fields(): Readonly<Record<string, unknown>>;
}

/** Maximum bytes of the object without the long text. */
const REST_MAX = MB;

/**
 * Reads a JSON object up to where the text of a field begins, or to its end without such a field. Throws
 * `invalid_json`, `body_too_large`, and the errors of the body.
 */
export async function streamField(body: AsyncIterable<Buffer>, name: string): Promise<StreamedField> {
  const scanner = new Scanner(name);
  const parts = scanner.read(body);
  // The first part is empty and means that the text has begun.
  const first = await parts.next();
  return { found: first.done !== true, text: parts, fields: () => scanner.fields };
}

const [QUOTE = 0, BACKSLASH = 0, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COLON, COMMA, U] = Buffer.from('"\\{}[]:,u');
const NOTHING = Buffer.alloc(0);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Finds only where texts begin and end, and how deeply they are nested. Everything but the long text is collected and
 * parsed by the engine, which checks that it is JSON.
 */
class Scanner {
  readonly #name: string;
  readonly #rest = new Gathered(REST_MAX);
  #state: 'outside' | 'inText' | 'inStreamed' = 'outside';
  #depth = 0;
  /** Whether the next text at the top level is the name of a field. */
  #nameNext = false;
  /** Start of the current name in the collected rest; null outside a name. */
  #nameAt: number | null = null;
  /** The last name at the top level, until its value has been read. */
  #field: string | null = null;
  #seen = false;
  #begins = false;
  /** Whether the previous byte of a collected text was a backslash. */
  #escaped = false;
  /** The part of an escape at the end of the last chunk of the long text. */
  #escape = NOTHING;
  fields: Readonly<Record<string, unknown>> = {};

  constructor(name: string) {
    this.#name = name;
  }

  async *read(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      let at = 0;
      while (at < chunk.length) {
        if (this.#state === 'inStreamed') {
          const { parts, next } = this.#streamed(chunk, at);
          for (const part of parts) if (part.length > 0) yield part;
          at = next;
        } else {
          at = this.#state === 'inText' ? this.#throughText(chunk, at) : this.#outside(chunk, at);
          if (this.#begins) {
            this.#begins = false;
            this.fields = parseObject(Buffer.concat([this.#rest.bytes(), Buffer.from('"}')]));
            yield NOTHING;
          }
        }
      }
    }
    this.fields = parseObject(this.#rest.bytes());
  }

  #outside(chunk: Buffer, at: number): number {
    const byte = chunk[at];
    this.#rest.add(chunk.subarray(at, at + 1));
    const atTop = this.#depth === 1;
    if (byte === QUOTE) this.#beginText(atTop);
    else if (byte === OPEN || byte === OPEN_LIST) {
      this.#depth += 1;
      this.#nameNext = this.#depth === 1 && byte === OPEN;
    } else if (byte === CLOSE || byte === CLOSE_LIST) this.#depth -= 1;
    else if (atTop && byte === COLON) this.#nameNext = false;
    else if (atTop && byte === COMMA) [this.#nameNext, this.#field] = [true, null];
    return at + 1;
  }

  #beginText(atTop: boolean): void {
    const isName = atTop && this.#nameNext;
    if (atTop && !isName && this.#field === this.#name) {
      // A duplicate of the field would be a second stream.
      if (this.#seen) throw new NotevaultError('invalid_json');
      this.#seen = true;
      this.#state = 'inStreamed';
      this.#begins = true;
    } else {
      this.#state = 'inText';
      this.#nameAt = isName ? this.#rest.length : null;
    }
  }

  #throughText(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#rest.add(chunk.subarray(from, at + 1));
        this.#state = 'outside';
        if (this.#nameAt !== null) this.#field = unescaped(this.#rest.bytes().subarray(this.#nameAt, -1));
        return at + 1;
      }
    }
    this.#rest.add(chunk.subarray(from));
    return chunk.length;
  }

  /** The parts of the long text in a chunk, and where the chunk continues after them. */
  #streamed(chunk: Buffer, from: number): { parts: Buffer[]; next: number } {
    if (this.#escape.length > 0) return this.#unescape(chunk, from);
    const quote = chunk.indexOf(QUOTE, from);
    const text = chunk.subarray(from, quote < 0 ? chunk.length : quote);
    const backslash = text.indexOf(BACKSLASH);
    if (backslash >= 0) {
      const { parts, next } = this.#unescape(chunk, from + backslash);
      return { parts: [text.subarray(0, backslash), ...parts], next };
    }
    if (quote < 0) return { parts: [text], next: chunk.length };
    this.#state = 'outside';
    this.#rest.add(chunk.subarray(quote, quote + 1));
    return { parts: [text], next: quote + 1 };
  }

  #unescape(chunk: Buffer, from: number): { parts: Buffer[]; next: number } {
    const had = this.#escape.length;
    const sequence = Buffer.concat([this.#escape, chunk.subarray(from, from + 6 - had)]);
    const length = sequence[1] === U ? 6 : 2;
    if (sequence.length < length) {
      this.#escape = sequence;
      return { parts: [], next: chunk.length };
    }
    this.#escape = NOTHING;
    return { parts: [Buffer.from(unescaped(sequence.subarray(0, length)))], next: from + length - had };
  }
}

/** Appends bytes to one buffer, because many small ones would each cost more than their content. */
class Gathered {
  readonly #max: number;
  #bytes: Buffer = Buffer.alloc(1024);
  length = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(bytes: Buffer): void {
    const length = this.length + bytes.length;
    if (length > this.#max) throw new NotevaultError('body_too_large', { max: this.#max });
    this.#bytes = withSpaceFor(this.#bytes, length, this.#max);
    this.#bytes.set(bytes, this.length);
    this.length = length;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }
}

/** Decodes the bytes between the quotes of a JSON text. */
function unescaped(bytes: Buffer): string {
  try {
    return JSON.parse(`"${utf8.decode(bytes)}"`) as string;
  } catch {
    throw new NotevaultError('invalid_json');
  }
}

/** A value that is not an object has no fields; the caller then reports the missing field. */
function parseObject(bytes: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(utf8.decode(bytes), (key, value) => (key === '__proto__' ? undefined : value));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : {};
  } catch {
    throw new NotevaultError('invalid_json');
  }
}
