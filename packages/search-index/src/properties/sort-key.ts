import { FILE_PREFIX } from '../analysis/note-facts.ts';
import type { Segment } from '../index/segment.ts';
import type { ColumnReader } from './note-reader.ts';
import type { PagePosition, PropertyQuery } from './query.ts';
import type { Kind } from './typed-value.ts';

/** By what a note is sorted in one column: its first value, texts cut; null for none. */
export type SortKey = readonly [Kind, number | string] | null;

/** Longer texts that begin alike are in the order of their ids. */
const TEXT_UNITS_MAX = 128;
const KINDS: readonly Kind[] = ['date', 'number', 'text', 'boolean'];
const LAST = KINDS.length + 1;

/** A note that matches, and by what it is sorted. */
export interface FoundNote {
  readonly segment: Segment;
  readonly note: number;
  readonly id: string;
  readonly keys: readonly SortKey[];
}

/**
 * The order of notes by some columns, then by id. In each column the kind that most notes have comes first, then the
 * others, then the notes without a value, whatever the direction.
 */
export class KeyOrder {
  readonly #sort: PropertyQuery['sort'];
  readonly #given: readonly (string | null)[] | null;
  readonly #counts: Map<Kind, number>[];

  /** @param leading the kinds that came first on the pages before; null for the first page. */
  constructor(sort: PropertyQuery['sort'], leading: readonly (string | null)[] | null) {
    this.#sort = sort;
    this.#given = leading;
    this.#counts = sort.map(() => new Map());
  }

  /** Counts the kinds of a note's values. */
  count(readers: readonly ColumnReader[], note: number): void {
    if (this.#given !== null) return;
    readers.forEach((reader, at) => {
      // What is known of files has one kind only.
      if (this.#sort[at]?.by.startsWith(FILE_PREFIX)) return;
      const kind = reader.typed(note)?.[0]?.kind;
      const counts = this.#counts[at];
      if (kind !== undefined) counts?.set(kind, (counts.get(kind) ?? 0) + 1);
    });
  }

  /** Value kind that sorts first in each column; null if no note has a value. */
  get leading(): readonly (string | null)[] {
    return this.#given ?? this.#counts.map((counts) => [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null);
  }

  /** Collects the first `most` notes after a position. */
  best(after: PagePosition | null, most: number): BestNotes {
    const { leading } = this;
    const rank = (at: number, key: SortKey) =>
      key === null ? LAST : key[0] === leading[at] ? 0 : 1 + KINDS.indexOf(key[0]);
    const compare = (a: Pick<FoundNote, 'keys' | 'id'>, b: Pick<FoundNote, 'keys' | 'id'>): number => {
      for (const [at, { descending }] of this.#sort.entries()) {
        const [own = null, other = null] = [a.keys[at], b.keys[at]];
        const ranks = rank(at, own) - rank(at, other);
        if (ranks !== 0) return ranks;
        if (own === null || other === null || own[1] === other[1]) continue;
        return own[1] < other[1] === descending ? 1 : -1;
      }
      return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
    };
    return new BestNotes(compare, after, most);
  }
}

type Compare = (a: Pick<FoundNote, 'keys' | 'id'>, b: Pick<FoundNote, 'keys' | 'id'>) => number;

/** Keeps the first notes of an order, sorted. */
class BestNotes {
  readonly #compare: Compare;
  readonly #after: PagePosition | null;
  readonly #most: number;
  readonly #sorted: FoundNote[] = [];

  constructor(compare: Compare, after: PagePosition | null, most: number) {
    this.#compare = compare;
    this.#after = after;
    this.#most = most;
  }

  offer(segment: Segment, note: number, readers: readonly ColumnReader[]): void {
    const keys = readers.map((reader) => sortKeyOf(reader, note));
    const candidate = { segment, note, id: segment.id(note), keys };
    if (this.#after !== null && this.#compare(candidate, this.#after) <= 0) return;
    const last = this.#sorted.at(-1);
    const isFull = this.#sorted.length >= this.#most;
    if (isFull && last !== undefined && this.#compare(candidate, last) >= 0) return;
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#sorted[middle];
      if (other !== undefined && this.#compare(other, candidate) < 0) from = middle + 1;
      else to = middle;
    }
    this.#sorted.splice(from, 0, candidate);
    if (this.#sorted.length > this.#most) this.#sorted.pop();
  }

  /** Returns the notes in order. */
  sorted(): readonly FoundNote[] {
    return this.#sorted;
  }
}

function sortKeyOf(reader: ColumnReader, note: number): SortKey {
  const first = reader.first === undefined ? reader.typed(note)?.[0] : reader.first(note);
  if (first == null) return null;
  return [first.kind, typeof first.key === 'string' ? first.key.slice(0, TEXT_UNITS_MAX) : first.key];
}
