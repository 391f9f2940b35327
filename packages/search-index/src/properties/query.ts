import type { PropertyValue } from '@notevault/note-text/properties.ts';
import { folderTerm, tagTerm } from '../analysis/terms.ts';
import type { Segment } from '../index/segment.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import { type Condition, testOf } from './condition.ts';
import { type ColumnReader, columnReader, LINK_COLUMNS, type NoteLinks } from './note-reader.ts';
import { type FoundNote, KeyOrder, type SortKey } from './sort-key.ts';
import { Zone } from './zone.ts';

/** Query over a vault's notes. Property names are keys, see `propertyKey`. */
export interface PropertyQuery {
  readonly where: readonly Condition[];
  readonly match: 'all' | 'any';
  /** Normalized; null for all notes. */
  readonly folder: string | null;
  /** Notes with any of these, or with a tag below one of them; null for all notes. */
  readonly tags: readonly string[] | null;
  readonly columns: readonly string[];
  readonly sort: readonly { readonly by: string; readonly descending: boolean }[];
  /** The time zone of dates without one. */
  readonly zone: string;
}

/** Position at the end of a page: sort keys and id of its last note, and the order of value kinds. */
export interface PagePosition {
  readonly keys: readonly SortKey[];
  readonly id: string;
  readonly leading: readonly (string | null)[];
}

export interface QueryRow {
  readonly id: string;
  readonly path: string;
  /** Value of each column; null if the note has none. */
  readonly values: readonly (PropertyValue | null)[];
}

export interface QueryPage {
  readonly rows: readonly QueryRow[];
  /** The number of notes that match, on all pages. */
  readonly total: number;
  /** Null on the last page. */
  readonly next: PagePosition | null;
}

/** Returns whether a query reads which notes link to which. */
export function needsLinks({ where, sort, columns }: PropertyQuery): boolean {
  const names = [...where.map(({ property }) => property), ...sort.map(({ by }) => by), ...columns];
  return names.some((name) => LINK_COLUMNS.includes(name));
}

const NOTES_PER_STEP = 256;
/** UTF-16 units of JSON in a page. */
const PAGE_UNITS_MAX = 2_000_000;

/**
 * Finds the notes that match, in order. Between the steps of the generator, which take a few milliseconds each, the index
 * may be written to: the result is that of the moment at which it began.
 */
export function* runQuery(
  index: VaultIndex,
  query: PropertyQuery,
  { after, limit }: { readonly after: PagePosition | null; readonly limit: number },
  links: NoteLinks | null,
): Generator<void, QueryPage> {
  const zone = new Zone(query.zone);
  const parts = index.segments.map((segment) => ({ segment, mask: allowedNotes(segment, query) }));
  let total = 0;
  const order = new KeyOrder(query.sort, after?.leading ?? null);
  for (const { segment, mask } of parts) {
    const passes = matcher(segment, query, zone, links);
    const readers = query.sort.map(({ by }) => columnReader(segment, by, zone, links));
    for (let note = 0; note < mask.length; note++) {
      if (note % NOTES_PER_STEP === NOTES_PER_STEP - 1) yield;
      if (mask[note] !== 1) continue;
      if (!passes(note)) mask[note] = 0;
      else {
        total++;
        order.count(readers, note);
      }
    }
    yield;
  }
  const best = order.best(after, limit + 1);
  for (const { segment, mask } of parts) {
    const readers = query.sort.map(({ by }) => columnReader(segment, by, zone, links));
    for (let note = 0; note < mask.length; note++) {
      if (note % NOTES_PER_STEP === NOTES_PER_STEP - 1) yield;
      if (mask[note] === 1) best.offer(segment, note, readers);
    }
    yield;
  }
  const { rows, last } = yield* rowsOf(best.sorted().slice(0, limit), query, zone, links);
  const isEnd = last === null || last === best.sorted().at(-1);
  const next = isEnd ? null : { keys: last.keys, id: last.id, leading: order.leading };
  return { rows, total, next };
}

/** Reads the columns of notes; a page ends early when it becomes too large, but has at least one row. */
function* rowsOf(
  found: readonly FoundNote[],
  { columns }: PropertyQuery,
  zone: Zone,
  links: NoteLinks | null,
): Generator<void, { rows: QueryRow[]; last: FoundNote | null }> {
  const readersOf = new Map<Segment, ColumnReader[]>();
  const rows: QueryRow[] = [];
  let units = 0;
  let last: FoundNote | null = null;
  for (const foundNote of found) {
    const { segment, note, id } = foundNote;
    const readers = readersOf.get(segment) ?? columns.map((name) => columnReader(segment, name, zone, links));
    readersOf.set(segment, readers);
    const row = { id, path: segment.path(note), values: readers.map((reader) => reader.value(note)) };
    units += JSON.stringify(row).length;
    if (rows.length > 0 && units > PAGE_UNITS_MAX) break;
    rows.push(row);
    last = foundNote;
    yield;
  }
  return { rows, last };
}

/** Returns the live notes of a segment that are in the folder and have one of the tags. */
export function allowedNotes(segment: Segment, { folder, tags }: Pick<PropertyQuery, 'folder' | 'tags'>): Uint8Array {
  const { size } = segment;
  const mask = new Uint8Array(size).fill(1);
  for (let note = 0; note < size; note++) if (segment.deleted[note] === 1) mask[note] = 0;
  const keep = (terms: readonly string[]) => {
    const having = new Uint8Array(size);
    for (const term of terms) {
      const reader = segment.postings(term);
      while (reader?.next()) if (reader.note < size) having[reader.note] = 1;
    }
    for (let note = 0; note < size; note++) mask[note] = (mask[note] ?? 0) & (having[note] ?? 0);
  };
  if (folder !== null && folder !== '') keep([folderTerm(folder)]);
  if (tags !== null) keep(tags.map((tag) => tagTerm(tag.replace(/^#/, ''))));
  return mask;
}

function matcher(
  segment: Segment,
  { where, match }: PropertyQuery,
  zone: Zone,
  links: NoteLinks | null,
): (note: number) => boolean {
  if (where.length === 0) return () => true;
  const tests = where.map((condition) => {
    const reader = columnReader(segment, condition.property, zone, links);
    const test = testOf(condition, zone);
    return (note: number) => test(reader.typed(note));
  });
  return match === 'all' ? (note) => tests.every((test) => test(note)) : (note) => tests.some((test) => test(note));
}
