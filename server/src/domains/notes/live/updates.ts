/** The bytes are no Yjs update or state vector that a note's document can take. */
export class MalformedUpdate extends Error {
  override readonly name = 'MalformedUpdate';
}

/** What an update (Yjs 13, encoding v1) claims, read without building anything of it. */
export interface ScannedUpdate {
  /** The clocks each client's structs cover, without gaps: from (inclusive) to (exclusive). */
  readonly clients: ReadonlyMap<number, { readonly from: number; readonly to: number }>;
  /** What it leans on, by client: all clocks below the number must be known, from the document or from the update. */
  readonly needs: ReadonlyMap<number, number>;
  /** What it leaves out, by client: all clocks below the number must be known from the document. */
  readonly gaps: ReadonlyMap<number, number>;
  /** Items that hang on nothing: what begins a document. */
  readonly roots: readonly { readonly client: number; readonly clock: number }[];
  /** UTF-8 bytes of the text inserted. */
  readonly textBytes: number;
  /** Pieces that it brings or parts. */
  readonly pieces: number;
}

/**
 * Items between the same two neighbours are ordered by looking through all of them. People leave as many there as of them
 * type in one place at once.
 */
const SIBLINGS_MAX = 1_000;

/** Clocks beyond this are nobody's typing; sums of them stay exact. */
const CLOCK_MAX = 2 ** 40;
/** The only root a note's document has. */
const ROOT = 'content';

/** How Yjs marks a struct, in the first byte: its kind, and which neighbours follow. */
const KIND = 0b11111;
const HAS_ORIGIN = 0x80;
const HAS_RIGHT_ORIGIN = 0x40;
const HAS_PARENT_KEY = 0x20;
const STRUCT = { gc: 0, deleted: 1, string: 4, format: 6, skip: 10 } as const;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads bytes of a peer: every length is held against what is left. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new MalformedUpdate('it ends too early');
    this.#at += 1;
    return byte;
  }

  /** A number of 7 bits a byte, least first. */
  varUint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      if (factor > 2 ** 46 || value > Number.MAX_SAFE_INTEGER) throw new MalformedUpdate('a number is too large');
    }
  }

  /** How many things of at least `bytes` bytes each follow. */
  count(bytes: number): number {
    const count = this.varUint();
    if (count > this.left / bytes) throw new MalformedUpdate('it claims more than it holds');
    return count;
  }

  string(): { text: string; bytes: number } {
    const bytes = this.count(1);
    const from = this.#at;
    this.#at += bytes;
    try {
      return { text: utf8.decode(this.#bytes.subarray(from, this.#at)), bytes };
    } catch (error) {
      throw new MalformedUpdate('a text is no UTF-8', { cause: error });
    }
  }
}

/**
 * Reads an update as far as it must be known before Yjs may see it: what it claims is held against the bytes there are
 * (nine bytes can claim thirty million structs), and nothing but text gets in. Linear in the bytes. Throws MalformedUpdate.
 */
export function scanUpdate(update: Uint8Array): ScannedUpdate {
  const reader = new Reader(update);
  const scan: Scan = {
    clients: new Map(),
    needs: new Map(),
    gaps: new Map(),
    roots: [],
    textBytes: 0,
    pieces: 0,
    siblings: siblingsOf(update),
  };
  for (let count = reader.count(4); count > 0; count--) scanClient(reader, scan);
  for (let count = reader.count(3); count > 0; count--) scanDeletes(reader, scan);
  if (reader.left > 0) throw new MalformedUpdate('it goes on behind its end');
  return scan;
}

interface Scan {
  readonly clients: Map<number, { from: number; to: number }>;
  readonly needs: Map<number, number>;
  readonly gaps: Map<number, number>;
  readonly roots: { client: number; clock: number }[];
  textBytes: number;
  pieces: number;
  /** How many items stand between the same two; null when there are too few for it to matter. */
  readonly siblings: Map<string, number> | null;
}

function scanClient(reader: Reader, scan: Scan): void {
  const structs = reader.count(2);
  scan.pieces += structs;
  const client = reader.varUint();
  const from = reader.varUint();
  if (scan.clients.has(client)) throw new MalformedUpdate('a client is there twice');
  let clock = from;
  for (let left = structs; left > 0; left--) {
    const length = scanStruct(reader, scan, client, clock);
    clock += length;
    if (length === 0 || clock > CLOCK_MAX) throw new MalformedUpdate('a length is not plausible');
  }
  scan.clients.set(client, { from, to: clock });
}

/** Resolves to the struct's length in clocks: UTF-16 units where it is text. */
function scanStruct(reader: Reader, scan: Scan, client: number, clock: number): number {
  const info = reader.byte();
  const kind = info & KIND;
  if (kind === STRUCT.gc) return reader.varUint();
  if (kind === STRUCT.skip) {
    const length = reader.varUint();
    atLeast(scan.gaps, client, clock + length);
    return length;
  }
  const origin = info & HAS_ORIGIN ? scanReference(reader, scan) : '';
  const rightOrigin = info & HAS_RIGHT_ORIGIN ? scanReference(reader, scan) : '';
  countSibling(scan, `${origin}|${rightOrigin}`);
  if ((info & (HAS_ORIGIN | HAS_RIGHT_ORIGIN)) === 0) {
    const isRoot = reader.varUint() === 1 && reader.string().text === ROOT && (info & HAS_PARENT_KEY) === 0;
    if (!isRoot) throw new MalformedUpdate('a note holds one text and nothing else');
    scan.roots.push({ client, clock });
  }
  return scanContent(reader, scan, kind);
}

function scanContent(reader: Reader, scan: Scan, kind: number): number {
  if (kind === STRUCT.deleted) return reader.varUint();
  if (kind === STRUCT.string) {
    const { text, bytes } = reader.string();
    scan.textBytes += bytes;
    return text.length;
  }
  if (kind !== STRUCT.format) throw new MalformedUpdate('a note holds one text and nothing else');
  reader.string();
  try {
    JSON.parse(reader.string().text);
  } catch (error) {
    throw new MalformedUpdate('a mark is no JSON', { cause: error });
  }
  return 1;
}

/** Resolves to the item referred to, as a key. */
function scanReference(reader: Reader, scan: Scan): string {
  const client = reader.varUint();
  const clock = reader.varUint();
  atLeast(scan.needs, client, clock + 1);
  return `${client}:${clock}`;
}

/** An item takes four bytes at least. */
function siblingsOf(update: Uint8Array): Map<string, number> | null {
  return update.length > SIBLINGS_MAX * 4 ? new Map() : null;
}

function countSibling(scan: Scan, between: string): void {
  if (scan.siblings === null) return;
  const count = (scan.siblings.get(between) ?? 0) + 1;
  if (count > SIBLINGS_MAX) throw new MalformedUpdate('too many items between the same two');
  scan.siblings.set(between, count);
}

function scanDeletes(reader: Reader, scan: Scan): void {
  const client = reader.varUint();
  const ranges = reader.count(2);
  scan.pieces += ranges;
  for (let count = ranges; count > 0; count--) {
    const clock = reader.varUint();
    atLeast(scan.needs, client, clock + reader.varUint());
  }
}

function atLeast(clocks: Map<number, number>, client: number, below: number): void {
  if (below > CLOCK_MAX) throw new MalformedUpdate('a clock is not plausible');
  if (below > (clocks.get(client) ?? 0)) clocks.set(client, below);
}

/**
 * The clocks a peer knows, by client (Yjs state vector, v1). Throws MalformedUpdate: a vector can claim billions of
 * clients in a few bytes.
 */
export function readStateVector(bytes: Uint8Array): Map<number, number> {
  const reader = new Reader(bytes);
  const vector = new Map<number, number>();
  for (let count = reader.count(2); count > 0; count--) {
    const client = reader.varUint();
    vector.set(client, reader.varUint());
  }
  return vector;
}
