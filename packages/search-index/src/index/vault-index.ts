import type { AnalyzedNote } from '../analysis/analyzer.ts';
import type { FrozenSegment } from './frozen-segment.ts';
import { MemorySegment } from './memory-segment.ts';
import { mergeSegments } from './merge.ts';
import type { Segment } from './segment.ts';

/** The segment and number of a note's current state. */
export interface NoteLocation {
  readonly segment: Segment;
  readonly note: number;
}

/** Memory that an id and its location take, approximately. */
const BYTES_PER_LOCATION = 160;
/**
 * A segment is merged with the later ones unless it is this many times larger, which keeps the number of segments low.
 */
const GROWTH_FACTOR = 2;
/** Minimum number of notes for a merge whose only purpose is to drop deleted notes. */
const MIN_NOTES_TO_PURGE = 64;

/**
 * The inverted index of one vault. Results depend only on the notes, never on the order in which they were written or
 * on the segments that hold them: all counts are exact and include live notes only.
 */
export class VaultIndex {
  /** The vault's seq up to which the index is complete; 0 for an empty one. */
  seq = 0;
  /** Oldest first. */
  readonly #frozen: FrozenSegment[] = [];
  /** Segments that take no more notes and wait to be frozen. */
  #pending: MemorySegment[] = [];
  /** The segment that takes notes. */
  #active = new MemorySegment();
  readonly #locations = new Map<string, NoteLocation>();
  #bodyWords = 0;
  #titleWords = 0;

  /** Makes an index of stored segments, oldest first. */
  static fromSegments(segments: readonly FrozenSegment[], seq: number): VaultIndex {
    const index = new VaultIndex();
    for (const segment of segments) index.#addFrozen(segment);
    index.seq = seq;
    return index;
  }

  #addFrozen(segment: FrozenSegment): void {
    for (const id of segment.tombstones) this.#markDeleted(id);
    this.#frozen.push(segment);
    for (let note = 0; note < segment.size; note++) this.#setLocation(segment.id(note), { segment, note });
  }

  /** Number of live notes. */
  get noteCount(): number {
    return this.#locations.size;
  }
  /** The ids of all live notes, in no order. */
  get ids(): Iterable<string> {
    return this.#locations.keys();
  }
  get averageBodyWords(): number {
    return this.#bodyWords / Math.max(1, this.noteCount);
  }
  get averageTitleWords(): number {
    return this.#titleWords / Math.max(1, this.noteCount);
  }
  /** All segments with notes, oldest first. */
  get segments(): readonly Segment[] {
    const written = this.#active.size === 0 ? [] : [this.#active];
    return [...this.#frozen, ...this.#pending, ...written];
  }
  get frozenSegments(): readonly FrozenSegment[] {
    return this.#frozen;
  }
  /** Memory in bytes, approximately. */
  get bytes(): number {
    return this.segments.reduce((sum, { bytes }) => sum + bytes, this.#locations.size * BYTES_PER_LOCATION);
  }
  /** Memory of the segment that takes notes, approximately. */
  get activeBytes(): number {
    return this.#active.bytes;
  }

  find(id: string): NoteLocation | undefined {
    return this.#locations.get(id);
  }

  /** Adds a note, or replaces it. */
  put(note: AnalyzedNote): void {
    this.#setLocation(note.id, { segment: this.#active, note: this.#active.add(note) });
  }

  remove(id: string): void {
    const location = this.#locations.get(id);
    if (location === undefined) return;
    this.#markDeleted(id);
    if (location.segment !== this.#active) this.#active.tombstones.push(id);
  }

  #setLocation(id: string, location: NoteLocation): void {
    this.#markDeleted(id);
    this.#locations.set(id, location);
    this.#bodyWords += location.segment.bodyWords(location.note);
    this.#titleWords += location.segment.titleWords(location.note);
  }

  #markDeleted(id: string): void {
    const location = this.#locations.get(id);
    if (location === undefined) return;
    const { segment, note } = location;
    segment.markDeleted(note);
    this.#locations.delete(id);
    this.#bodyWords -= segment.bodyWords(note);
    this.#titleWords -= segment.titleWords(note);
  }

  /** Starts a new segment for later notes. `compact` freezes the previous one. */
  startSegment(): void {
    if (this.#active.size === 0 && this.#active.tombstones.length === 0) return;
    this.#pending.push(this.#active);
    this.#active = new MemorySegment();
  }

  /**
   * Freezes pending segments and merges frozen ones until each is much larger than the next. Between the steps of the
   * generator the index may be searched and written to, but no second `compact` may run.
   */
  *compact(): Generator<void, void> {
    while (this.#pending.length > 0) {
      const [next] = this.#pending;
      if (next === undefined) break;
      const frozen = yield* mergeSegments([next], this.#frozen.length === 0);
      this.#pending = this.#pending.slice(1);
      this.#replace([next], frozen, this.#frozen.length, 0);
      for (let from = this.#mergeStart(); from >= 0; from = this.#mergeStart()) {
        const old = this.#frozen.slice(from);
        const merged = yield* mergeSegments(old, from === 0);
        this.#replace(old, merged, from, old.length);
      }
    }
  }

  /** Returns the index of the first frozen segment to merge with all after it; -1 when none is to be merged. */
  #mergeStart(): number {
    let bytesAfter = 0;
    let start = -1;
    for (let index = this.#frozen.length - 1; index > 0; index--) {
      bytesAfter += this.#frozen[index]?.bytes ?? 0;
      if ((this.#frozen[index - 1]?.bytes ?? 0) < GROWTH_FACTOR * bytesAfter) start = index - 1;
    }
    if (start < 0 && this.#hasManyDeletedNotes()) return 0;
    return start;
  }

  /** Returns whether more than a third of the notes in frozen segments are deleted. */
  #hasManyDeletedNotes(): boolean {
    const size = this.#frozen.reduce((sum, segment) => sum + segment.size, 0);
    return (
      size > MIN_NOTES_TO_PURGE &&
      size * 2 > this.noteCount * 3 &&
      this.#frozen.some(({ deleted }) => deleted.includes(1))
    );
  }

  /** Puts a merged segment in the place of `count` frozen ones from `start` on. */
  #replace(old: readonly Segment[], merged: FrozenSegment, start: number, count: number): void {
    this.#frozen.splice(start, count, merged);
    for (let note = 0; note < merged.size; note++) {
      const id = merged.id(note);
      const location = this.#locations.get(id);
      // The note was written again or deleted while the merge ran.
      if (location === undefined || !old.includes(location.segment)) merged.markDeleted(note);
      else this.#locations.set(id, { segment: merged, note });
    }
  }
}
