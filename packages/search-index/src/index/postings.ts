import { lowerBound } from './lower-bound.ts';
import { occurrenceAt, positionOf } from './occurrence.ts';
import { readVarint, VarintWriter } from './varint.ts';

/**
 * Writes the postings of a term: for each note the distance from the note before it, the term's count in each field,
 * and its occurrences. Counts of fields other than the body take no byte when all of them are 0.
 */
export class PostingsWriter {
  readonly #out = new VarintWriter();
  #lastNote = -1;

  get size(): number {
    return this.#out.length;
  }

  /** Adds a note. Notes must come in ascending order, and so must the occurrences in a note. */
  add(note: number, occurrences: readonly number[]): void {
    const counts = [0, 0, 0, 0];
    const packed = new VarintWriter(occurrences.length * 2);
    let lastPosition = 0;
    for (const occurrence of occurrences) {
      const field = occurrence & 3;
      counts[field] = (counts[field] ?? 0) + 1;
      const position = positionOf(occurrence);
      packed.write(((position - lastPosition) << 2) | field);
      lastPosition = position;
    }
    const [body = 0, label = 0, heading = 0, title = 0] = counts;
    const out = this.#out;
    const hasNames = label + heading + title > 0;
    out.write(note - this.#lastNote);
    out.write(body * 2 + (hasNames ? 1 : 0));
    if (hasNames) for (const count of [label, heading, title]) out.write(count);
    out.write(packed.length);
    out.append(packed.bytes, 0, packed.length);
    this.#lastNote = note;
  }

  /** Adds a note whose counts and occurrences are already encoded. */
  addEncoded(note: number, bytes: Uint8Array, start: number, end: number): void {
    this.#out.write(note - this.#lastNote);
    this.#out.append(bytes, start, end);
    this.#lastNote = note;
  }

  reader(): PostingsReader {
    return new PostingsReader(this.#out.bytes, 0, this.#out.length);
  }

  appendTo(out: VarintWriter): void {
    out.append(this.#out.bytes, 0, this.#out.length);
  }
}

/** Number of notes between two skip positions. */
const SKIP_NOTES = 128;

/** Skip positions in long postings. Readers add positions as they read, up to the end of the postings. */
export class PostingsSkips {
  /** Every 128th note. */
  readonly notes: number[] = [];
  /** End offset of each entry. */
  readonly ends: number[] = [];
}

/** Walks the postings of a term. Its fields describe the current note. */
export class PostingsReader {
  note = -1;
  /** The term's count in each field. */
  body = 0;
  label = 0;
  heading = 0;
  title = 0;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #offset = 0;
  #countsStart = 0;
  #noteEnd = 0;
  #position = 0;
  readonly #skips: PostingsSkips | null;
  /** Number of notes read or skipped. */
  #count = 0;

  constructor(bytes: Uint8Array, start: number, end: number, skips: PostingsSkips | null = null) {
    this.#skips = skips;
    this.#bytes = bytes;
    this.#end = end;
    this.#noteEnd = start;
  }

  /** Moves to the next note; returns false after the last one. */
  next(): boolean {
    this.#offset = this.#noteEnd;
    if (this.#offset >= this.#end) return false;
    this.note += this.#varint();
    this.#countsStart = this.#offset;
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
    this.#noteEnd = this.#offset + length;
    this.#position = 0;
    if (++this.#count % SKIP_NOTES === 0) this.#rememberPlace();
    return true;
  }

  #rememberPlace(): void {
    const skips = this.#skips;
    if (skips === null || skips.notes.length >= this.#count / SKIP_NOTES) return;
    skips.notes.push(this.note);
    skips.ends.push(this.#noteEnd);
  }

  /** Moves to a note, or to the first one after it; returns false when there is none. It never moves back. */
  advanceTo(note: number): boolean {
    if (this.#skips !== null) this.#skipTo(note, this.#skips);
    while (this.note < note) if (!this.next()) return false;
    return true;
  }

  /** Moves to the last known place before a note. */
  #skipTo(note: number, { notes, ends }: PostingsSkips): void {
    // Mostly the note is before the next place.
    if ((notes[Math.floor(this.#count / SKIP_NOTES)] ?? note) >= note) return;
    const place = lowerBound(notes.length, (index) => (notes[index] as number) < note) - 1;
    this.note = notes[place] as number;
    this.#noteEnd = ends[place] as number;
    this.#count = (place + 1) * SKIP_NOTES;
  }

  /** `readVarint` with its short cases unrolled, because a search spends most of its time here. */
  #varint(): number {
    const bytes = this.#bytes;
    const byte = bytes[this.#offset++] ?? 0;
    if (byte < 0x80) return byte;
    const second = bytes[this.#offset++] ?? 0;
    if (second < 0x80) return (byte & 0x7f) | (second << 7);
    const { value, end } = readVarint(bytes, this.#offset - 2);
    this.#offset = end;
    return value;
  }

  /** Returns the term's next occurrence in the current note, ascending; -1 after the last one. */
  nextOccurrence(): number {
    if (this.#offset >= this.#noteEnd) return -1;
    const packed = this.#varint();
    this.#position += packed >>> 2;
    return occurrenceAt(this.#position, packed & 3);
  }

  /** Appends the current note to a writer under another number. */
  copyTo(writer: PostingsWriter, note: number): void {
    writer.addEncoded(note, this.#bytes, this.#countsStart, this.#noteEnd);
  }
}
