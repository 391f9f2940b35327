/** The bytes are no Yjs update or state vector of a note's document. */
export class MalformedUpdate extends Error {
  override readonly name: string = 'MalformedUpdate';
}

/** The update has something else than plain text: a mark, an embed, or another type than the note's text. */
export class UnsupportedUpdate extends MalformedUpdate {
  override readonly name = 'UnsupportedUpdate';
  constructor() {
    super('a note holds one text and nothing else');
  }
}

/** The contents of an update (Yjs 13, encoding v1), read without creating its structs. */
export interface ScannedUpdate {
  /** The clocks of each client's structs, without gaps: from (inclusive) to (exclusive). */
  readonly clients: ReadonlyMap<number, { readonly from: number; readonly to: number }>;
  /** For each client, the clock below which all must be in the document or in the update. */
  readonly needs: ReadonlyMap<number, number>;
  /** For each client, the clock below which all must be in the document, because the update skips them. */
  readonly gaps: ReadonlyMap<number, number>;
  /** Items without an origin: the first items of a document. */
  readonly roots: readonly StructId[];
  /** UTF-8 bytes of the text inserted. */
  readonly textBytes: number;
  /** Structs that it inserts or deletes. */
  readonly structs: number;
  /** Its items, in the order of the update; null when there are more than ITEMS_MAX. */
  readonly items: readonly ScannedItem[] | null;
  /** UTF-16 units that it deletes. */
  readonly deletedLength: number;
}

/** An item of an update with the neighbours between which it was inserted; null at the start and the end. */
export interface ScannedItem {
  readonly client: number;
  readonly clock: number;
  readonly length: number;
  readonly origin: StructId | null;
  readonly rightOrigin: StructId | null;
}

export interface StructId {
  readonly client: number;
  readonly clock: number;
}

/** Maximum numbers in one update, to limit the memory for reading it. */
const STRUCTS_MAX = 1_000_000;
const CLIENTS_MAX = 100_000;

/** Maximum number of items that are listed: an update of more is not a few keystrokes. */
export const ITEMS_MAX = 300;

/** Maximum clock: no one types more, and sums of clocks stay exact integers. */
const CLOCK_MAX = 2 ** 40;
/** The only root type of a note's document. */
const ROOT = 'content';

/** The bits of a struct's first byte: its kind, and which references follow. */
const KIND = 0b11111;
const HAS_ORIGIN = 0x80;
const HAS_RIGHT_ORIGIN = 0x40;
const HAS_PARENT_KEY = 0x20;
const STRUCT = { deleted: 1, string: 4, skip: 10 } as const;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads bytes of a client; compares each length with the bytes that are left. */
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

  /** Reads a number with 7 bits in each byte, least significant first. */
  varUint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      if (factor > 2 ** 46 || value > Number.MAX_SAFE_INTEGER) throw new MalformedUpdate('a number is too large');
    }
  }

  /** Reads a number of elements, each of at least `bytes` bytes. */
  count(bytes: number): number {
    const count = this.varUint();
    if (count > this.left / bytes) throw new MalformedUpdate('a count exceeds its bytes');
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
 * Validates an update before Yjs reads it: its counts are compared with its bytes (nine bytes can claim thirty million
 * structs), and it may contain nothing but text. Linear in the bytes. Throws MalformedUpdate, UnsupportedUpdate.
 */
export function scanUpdate(update: Uint8Array): ScannedUpdate {
  return scanInto(update);
}

/** Returns the texts that an update inserts, in the order in which it lists them. Throws MalformedUpdate. */
export function insertedText(update: Uint8Array): string {
  const text: string[] = [];
  scanInto(update, text);
  return text.join('').toWellFormed();
}

function scanInto(update: Uint8Array, text?: string[]): ScannedUpdate {
  const reader = new Reader(update);
  const scan: Scan = {
    clients: new Map(),
    needs: new Map(),
    gaps: new Map(),
    roots: [],
    textBytes: 0,
    structs: 0,
    items: [],
    deletedLength: 0,
    ...(text === undefined ? {} : { text }),
  };
  const clients = reader.count(4);
  if (clients > CLIENTS_MAX) throw new MalformedUpdate('too many clients');
  for (let count = clients; count > 0; count--) scanClient(reader, scan);
  for (let count = reader.count(3); count > 0; count--) scanDeletes(reader, scan);
  if (reader.left > 0) throw new MalformedUpdate('bytes follow its end');
  return scan;
}

interface Scan {
  readonly clients: Map<number, { from: number; to: number }>;
  readonly needs: Map<number, number>;
  readonly gaps: Map<number, number>;
  readonly roots: StructId[];
  textBytes: number;
  structs: number;
  items: ScannedItem[] | null;
  deletedLength: number;
  /** The inserted texts, if the caller needs them. */
  readonly text?: string[];
}

function scanClient(reader: Reader, scan: Scan): void {
  const structs = reader.count(2);
  countStructs(scan, structs);
  const client = reader.varUint();
  const from = reader.varUint();
  if (scan.clients.has(client)) throw new MalformedUpdate('a client is listed twice');
  let clock = from;
  for (let left = structs; left > 0; left--) {
    const length = scanStruct(reader, scan, client, clock);
    clock += length;
    if (length === 0 || clock > CLOCK_MAX) throw new MalformedUpdate('a length is not plausible');
  }
  scan.clients.set(client, { from, to: clock });
}

/** Returns the length of the struct in clocks, which are UTF-16 units for text. */
function scanStruct(reader: Reader, scan: Scan, client: number, clock: number): number {
  const info = reader.byte();
  const kind = info & KIND;
  if (kind === STRUCT.skip) {
    const length = reader.varUint();
    atLeast(scan.gaps, client, clock + length);
    return length;
  }
  const origin = info & HAS_ORIGIN ? scanReference(reader, scan, client, clock) : null;
  const rightOrigin = info & HAS_RIGHT_ORIGIN ? scanReference(reader, scan, client, clock) : null;
  if ((info & (HAS_ORIGIN | HAS_RIGHT_ORIGIN)) === 0) {
    const isRoot = reader.varUint() === 1 && reader.string().text === ROOT && (info & HAS_PARENT_KEY) === 0;
    if (!isRoot) throw new UnsupportedUpdate();
    scan.roots.push({ client, clock });
  }
  const length = scanContent(reader, scan, kind);
  if (scan.items !== null && scan.items.length >= ITEMS_MAX) scan.items = null;
  scan.items?.push({ client, clock, length, origin, rightOrigin });
  return length;
}

function scanContent(reader: Reader, scan: Scan, kind: number): number {
  if (kind === STRUCT.deleted) return reader.varUint();
  if (kind !== STRUCT.string) throw new UnsupportedUpdate();
  const { text, bytes } = reader.string();
  scan.textBytes += bytes;
  scan.text?.push(text);
  return text.length;
}

/** Yjs integrates a client's items in the order of their clocks, and fails if one refers to a later one. */
function scanReference(reader: Reader, scan: Scan, fromClient: number, fromClock: number): StructId {
  const client = reader.varUint();
  const clock = reader.varUint();
  if (client === fromClient && clock >= fromClock) throw new MalformedUpdate('an item refers to a later one');
  atLeast(scan.needs, client, clock + 1);
  return { client, clock };
}

function scanDeletes(reader: Reader, scan: Scan): void {
  const client = reader.varUint();
  const ranges = reader.count(2);
  countStructs(scan, ranges);
  for (let count = ranges; count > 0; count--) {
    const clock = reader.varUint();
    const length = reader.varUint();
    scan.deletedLength += length;
    atLeast(scan.needs, client, clock + length);
  }
}

function countStructs(scan: Scan, count: number): void {
  scan.structs += count;
  if (scan.structs > STRUCTS_MAX) throw new MalformedUpdate('too many structs');
}

function atLeast(clocks: Map<number, number>, client: number, below: number): void {
  if (below > CLOCK_MAX) throw new MalformedUpdate('a clock is not plausible');
  if (clocks.size > CLIENTS_MAX) throw new MalformedUpdate('too many clients');
  if (below > (clocks.get(client) ?? 0)) clocks.set(client, below);
}

/** Returns the clocks of a state vector (Yjs, v1), which may claim billions. Throws MalformedUpdate. */
export function readStateVector(bytes: Uint8Array): Map<number, number> {
  const reader = new Reader(bytes);
  const vector = new Map<number, number>();
  for (let count = reader.count(2); count > 0; count--) {
    const client = reader.varUint();
    vector.set(client, reader.varUint());
  }
  return vector;
}
