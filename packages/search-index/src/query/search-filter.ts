import { foldPath } from '@notevault/note-text/paths.ts';
import { fold } from '@notevault/note-text/words/fold.ts';
import { FILTERS_END, folderTerm, tagTerm, typeTerm } from './analyse.ts';
import { expandWord } from './expand.ts';
import { notesWithPhrase } from './phrases.ts';
import type { Filter, Query } from './query.ts';
import type { Segment } from './segment.ts';
import type { VaultIndex } from './vault-index.ts';

/** What a request narrows its results to, besides what the query says. */
export interface Narrowing {
  /** Any of them; a tag covers those below it. */
  readonly tags: readonly string[] | null;
  /** With all folders below it; the root is `''`. */
  readonly folder: string | null;
  readonly type: string | null;
  /** Bounds in epoch milliseconds, inclusive; a note without the date fails them. */
  readonly created: Bounds;
  readonly timestamp: Bounds;
}

export interface Bounds {
  readonly from: number | null;
  readonly to: number | null;
}

/** One byte for each note of each segment: 1 where the note may be an answer. */
export type Masks = readonly Uint8Array[];

/** The live notes that pass everything but the words of the query. */
export function allowedNotes(index: VaultIndex, query: Query, narrow: Narrowing): Masks {
  const { segments } = index;
  const masks = segments.map(liveNotes);
  const keep = (notes: Masks) => every(masks, (segment, note) => notes[segment]?.[note] === 1);
  const drop = (notes: Masks) => every(masks, (segment, note) => notes[segment]?.[note] !== 1);
  if (narrow.tags !== null)
    keep(
      notesWithAny(
        segments,
        narrow.tags.map((tag) => tagTerm(tag.replace(/^#/, ''))),
      ),
    );
  if (narrow.folder !== null && narrow.folder !== '') keep(notesWithAny(segments, [folderTerm(narrow.folder)]));
  if (narrow.type !== null) keep(notesWithAny(segments, [typeTerm(narrow.type)]));
  within(masks, segments, narrow.created, (segment, note) => segment.created(note));
  within(masks, segments, narrow.timestamp, (segment, note) => segment.timestamp(note));
  for (const filter of query.filters) (filter.not ? drop : keep)(notesOfFilter(segments, filter, masks));
  for (const words of query.excluded) drop(notesWithWords(index, words));
  for (const words of query.phrases) keep(notesWithPhrase(segments, words));
  return masks;
}

function liveNotes({ dead, size }: Segment): Uint8Array {
  const mask = new Uint8Array(size).fill(1);
  for (let note = 0; note < size; note++) if (dead[note] === 1) mask[note] = 0;
  return mask;
}

function every(masks: Masks, holds: (segment: number, note: number) => boolean): void {
  masks.forEach((mask, segment) => {
    for (let note = 0; note < mask.length; note++) if (mask[note] === 1 && !holds(segment, note)) mask[note] = 0;
  });
}

function within(
  masks: Masks,
  segments: readonly Segment[],
  { from, to }: Bounds,
  of: (segment: Segment, note: number) => number,
): void {
  if (from === null && to === null) return;
  every(masks, (at, note) => {
    const segment = segments[at];
    const date = segment === undefined ? Number.NaN : of(segment, note);
    // Comparisons with NaN are false: no date, no match.
    return date >= (from ?? Number.NEGATIVE_INFINITY) && date <= (to ?? Number.POSITIVE_INFINITY);
  });
}

function notesWithAny(segments: readonly Segment[], terms: readonly string[]): Masks {
  return segments.map((segment) => {
    const mask = new Uint8Array(segment.size);
    for (const term of terms) {
      const reader = segment.postings(term);
      while (reader?.next()) mask[reader.note] = 1;
    }
    return mask;
  });
}

/** Notes that a word of the query would find by itself or its forms, or that have the phrase. */
function notesWithWords(index: VaultIndex, words: readonly string[]): Masks {
  const [word = ''] = words;
  if (words.length > 1) return notesWithPhrase(index.segments, words);
  const terms = expandWord(index, word, false).filter(({ weight }) => weight >= 0.9);
  return notesWithAny(
    index.segments,
    terms.map(({ term }) => term),
  );
}

function notesOfFilter(segments: readonly Segment[], filter: Filter, among: Masks): Masks {
  const value = filter.value.replace(/^#/, '');
  if (filter.field === 'tag') return notesWithAny(segments, [tagTerm(value)]);
  if (filter.field === 'folder') return notesWithAny(segments, foldersNamed(segments, filter.value));
  const wanted = filter.field === 'path' ? foldPath(filter.value) : fold(filter.value);
  return segments.map((segment, at) => {
    const mask = new Uint8Array(segment.size);
    for (let note = 0; note < mask.length; note++) {
      if (among[at]?.[note] !== 1) continue;
      const { path, title } = segment.info(note);
      const text = filter.field === 'path' ? foldPath(path) : fold(title);
      if (text.includes(wanted)) mask[note] = 1;
    }
    return mask;
  });
}

/** Terms of the folders of this path, or that end with it at a `/`: `folder:b` is `b` and `a/b`, with all below them. */
function foldersNamed(segments: readonly Segment[], name: string): string[] {
  const end = foldPath(
    name
      .split('/')
      .filter((part) => part !== '')
      .join('/'),
  );
  const own = folderTerm(end);
  const found = segments.flatMap(({ terms }) => terms.holding(`/${end}`));
  return [
    own,
    ...found.filter((term) => term < FILTERS_END && term.startsWith(own.slice(0, 2)) && term.endsWith(`/${end}`)),
  ];
}
