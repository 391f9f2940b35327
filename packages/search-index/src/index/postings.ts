import { Bytes, Reader } from './bytes.ts';

/** Where in a note a word stands. */
export const BODY = 0;
/** A tag or the name of a folder. */
export const LABEL = 1;
export const HEADING = 2;
/** Title, aliases, name of the file. */
export const TITLE = 3;

/** A position of a word and its field, in one number. */
export const placeOf = (position: number, field: number) => position * 4 + field;

/**
 * The notes that have a term: for each the distance from the one before, how often the term stands in which field, and
 * where. Fields other than the body are rare and cost nothing when they are not there.
 */
export class PostingsWriter {
  readonly #out = new Bytes();
  #last = -1;

  get size(): number {
    return this.#out.length;
  }

  /** Adds a note; notes come in ascending order, its places too (see placeOf). */
  add(note: number, places: readonly number[]): void {
    const counts = [0, 0, 0, 0];
    const packed = new Bytes(places.length * 2);
    let before = 0;
    for (const place of places) {
      const field = place & 3;
      counts[field] = (counts[field] ?? 0) + 1;
      const position = Math.floor(place / 4);
      packed.varint(((position - before) << 2) | field);
      before = position;
    }
    const [body = 0, label = 0, heading = 0, title = 0] = counts;
    const out = this.#out;
    const others = label + heading + title > 0;
    out.varint(note - this.#last);
    out.varint(body * 2 + (others ? 1 : 0));
    if (others) for (const count of [label, heading, title]) out.varint(count);
    out.varint(packed.length);
    out.append(packed.bytes, 0, packed.length);
    this.#last = note;
  }

  /** Adds a note whose counts and places lie encoded between two offsets. */
  copy(note: number, bytes: Uint8Array, start: number, end: number): void {
    this.#out.varint(note - this.#last);
    this.#out.append(bytes, start, end);
    this.#last = note;
  }

  reader(): PostingsReader {
    return new PostingsReader(this.#out.bytes, 0, this.#out.length);
  }

  appendTo(out: Bytes): void {
    out.append(this.#out.bytes, 0, this.#out.length);
  }
}

/** Walks a list of postings; what it tells is of the note it stands on. */
export class PostingsReader {
  note = -1;
  body = 0;
  label = 0;
  heading = 0;
  title = 0;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at = 0;
  #restStart = 0;
  #placesEnd = 0;
  #position = 0;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#end = end;
    this.#placesEnd = start;
  }

  /** Goes to the next note; false when there is none. */
  next(): boolean {
    this.#at = this.#placesEnd;
    if (this.#at >= this.#end) return false;
    this.note += this.#varint();
    this.#restStart = this.#at;
    const first = this.#varint();
    this.body = first >>> 1;
    if ((first & 1) === 1) {
      this.label = this.#varint();
      this.heading = this.#varint();
      this.title = this.#varint();
    } else {
      this.label = 0;
      this.heading = 0;
      this.title = 0;
    }
    const length = this.#varint();
    this.#placesEnd = this.#at + length;
    this.#position = 0;
    return true;
  }

  /** As Reader's; here, because most of the time of a search is spent on it. */
  #varint(): number {
    const bytes = this.#bytes;
    const byte = bytes[this.#at++] ?? 0;
    if (byte < 0x80) return byte;
    const second = bytes[this.#at++] ?? 0;
    if (second < 0x80) return (byte & 0x7f) | (second << 7);
    const rest = new Reader(bytes, this.#at - 2);
    const value = rest.varint();
    this.#at = rest.at;
    return value;
  }

  /** Where the term stands in the note next, as placeOf gives it, ascending; -1 once there is no more. */
  nextPlace(): number {
    if (this.#at >= this.#placesEnd) return -1;
    const packed = this.#varint();
    this.#position += packed >>> 2;
    return placeOf(this.#position, packed & 3);
  }

  copyTo(writer: PostingsWriter, note: number): void {
    writer.copy(note, this.#bytes, this.#restStart, this.#placesEnd);
  }
}
