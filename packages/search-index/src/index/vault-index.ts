import type { AnalysedNote } from './analyse.ts';
import type { FrozenSegment } from './frozen-segment.ts';
import { MemorySegment } from './memory-segment.ts';
import { merge } from './merge.ts';
import type { Segment } from './segment.ts';

interface Location {
  readonly segment: Segment;
  readonly note: number;
}

/** What an id and its place cost in memory, about. */
const locationBytes = 160;
/** A segment is merged with the one before it unless that is so many times as large: so there are few of them. */
const growth = 2;

/**
 * The words of one vault. Answers depend on the notes alone, never on the order they came in or on how they lie in
 * segments: counts are of live notes only, and are exact.
 */
export class VaultIndex {
  /** Oldest first; the last takes new notes. */
  readonly #frozen: FrozenSegment[] = [];
  /** Parts that are full and wait to be frozen. */
  #full: MemorySegment[] = [];
  #newest = new MemorySegment();
  readonly #where = new Map<string, Location>();
  /** The vault's seq up to which this is complete; 0 for nothing. */
  seq = 0;
  #bodyWords = 0;
  #titleWords = 0;

  /** From segments as they were frozen, oldest first. */
  static of(segments: readonly FrozenSegment[], seq: number): VaultIndex {
    const index = new VaultIndex();
    for (const segment of segments) index.#adopt(segment);
    index.seq = seq;
    return index;
  }

  #adopt(segment: FrozenSegment): void {
    for (const id of segment.gone) this.#bury(id);
    this.#frozen.push(segment);
    for (let note = 0; note < segment.size; note++) this.#settle(segment.id(note), { segment, note });
  }

  /** Live notes. */
  get notes(): number {
    return this.#where.size;
  }
  get averageBodyWords(): number {
    return this.#bodyWords / Math.max(1, this.notes);
  }
  get averageTitleWords(): number {
    return this.#titleWords / Math.max(1, this.notes);
  }
  get segments(): readonly Segment[] {
    return [...this.#frozen, ...this.#full, this.#newest];
  }
  /** Bytes of memory, about. */
  get bytes(): number {
    return this.segments.reduce((sum, { bytes }) => sum + bytes, this.#where.size * locationBytes);
  }
  /** Bytes of what is not frozen yet, about. */
  get freshBytes(): number {
    return this.#newest.bytes;
  }

  find(id: string): Location | undefined {
    return this.#where.get(id);
  }

  /** Takes a note in, in place of what it was. */
  put(note: AnalysedNote): void {
    this.#settle(note.id, { segment: this.#newest, note: this.#newest.add(note) });
  }

  remove(id: string): void {
    const location = this.#where.get(id);
    if (location === undefined) return;
    this.#bury(id);
    if (location.segment !== this.#newest) this.#newest.gone.push(id);
  }

  #settle(id: string, location: Location): void {
    this.#bury(id);
    this.#where.set(id, location);
    this.#bodyWords += location.segment.bodyWords(location.note);
    this.#titleWords += location.segment.titleWords(location.note);
  }

  #bury(id: string): void {
    const location = this.#where.get(id);
    if (location === undefined) return;
    const { segment, note } = location;
    segment.dead[note] = 1;
    this.#where.delete(id);
    this.#bodyWords -= segment.bodyWords(note);
    this.#titleWords -= segment.titleWords(note);
  }

  /** Begins a new part for what comes; what came is frozen by `tidy`. */
  seal(): void {
    if (this.#newest.size === 0 && this.#newest.gone.length === 0) return;
    this.#full.push(this.#newest);
    this.#newest = new MemorySegment();
  }

  /**
   * Freezes what is full and merges segments until each is much larger than the next. A generator: searches and writes
   * may come between its steps, but no second `tidy`.
   */
  *tidy(): Generator<void, void> {
    while (this.#full.length > 0) {
      const [next] = this.#full;
      if (next === undefined) break;
      const frozen = yield* merge([next], this.#frozen.length === 0);
      this.#full = this.#full.slice(1);
      this.#replace([next], frozen, this.#frozen.length, 0);
      for (let from = this.#mergeFrom(); from >= 0; from = this.#mergeFrom()) {
        const old = this.#frozen.slice(from);
        const merged = yield* merge(old, from === 0);
        this.#replace(old, merged, from, old.length);
      }
    }
  }

  /** Where the segments begin that are too small to lie behind those before them; -1 when all are well. */
  #mergeFrom(): number {
    let after = 0;
    let from = -1;
    for (let at = this.#frozen.length - 1; at > 0; at--) {
      after += this.#frozen[at]?.bytes ?? 0;
      if ((this.#frozen[at - 1]?.bytes ?? 0) < growth * after) from = at - 1;
    }
    if (from < 0 && this.#isMostlyDead()) return 0;
    return from;
  }

  /** Whether a third of the notes in the frozen segments are dead. */
  #isMostlyDead(): boolean {
    const size = this.#frozen.reduce((sum, segment) => sum + segment.size, 0);
    const [first] = this.#frozen;
    return (
      first !== undefined && size > 64 && size * 2 > this.notes * 3 && this.#frozen.some(({ dead }) => dead.includes(1))
    );
  }

  #replace(old: readonly Segment[], by: FrozenSegment, at: number, count: number): void {
    this.#frozen.splice(at, count, by);
    for (let note = 0; note < by.size; note++) {
      const id = by.id(note);
      const location = this.#where.get(id);
      // Written again or deleted while the merge ran.
      if (location === undefined || !old.includes(location.segment)) by.dead[note] = 1;
      else this.#where.set(id, { segment: by, note });
    }
  }

  /** The frozen segments, oldest first. */
  get frozen(): readonly FrozenSegment[] {
    return this.#frozen;
  }
}
