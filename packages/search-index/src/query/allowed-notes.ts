import { foldPath } from '@notevault/note-text/paths.ts';
import { fold } from '@notevault/note-text/words/fold.ts';
import { FILTER_TERMS_END, FOLDER_TERM_PREFIX, folderTerm, tagTerm, typeTerm } from '../analysis/terms.ts';
import type { Segment } from '../index/segment.ts';
import { notesWithPhrase } from './phrases.ts';
import { expandWord, MIN_FORM_WEIGHT } from './query-expansion.ts';
import type { FilterClause, Phrase, Query } from './query-parser.ts';
import type { DateRange, NoteMasks, SearchFilter } from './search-filter.ts';
import { languagesIn } from './vocabulary.ts';

/** The notes that may be found, and the phrases that were given up to find any. */
export interface AllowedNotes {
  /** Null where all live notes are allowed. */
  readonly masks: NoteMasks | null;
  /** Phrases that no note has which passes the rest; their words are searched instead. */
  readonly relaxed: readonly Phrase[];
}

/** Returns the live notes that pass the filter and every part of the query except its words. */
export function allowedNotes(segments: readonly Segment[], query: Query, filter: SearchFilter): AllowedNotes {
  if (!isRestricted(query, filter)) return { masks: null, relaxed: [] };
  const masks = segments.map(liveNotes);
  applyFilter(masks, segments, filter);
  for (const clause of query.clauses) {
    const matching = notesOfClause(segments, clause, masks);
    if (clause.negated) exclude(masks, matching);
    else intersect(masks, matching);
  }
  for (const words of query.excluded) exclude(masks, notesWithWords(segments, words));
  const phrases = query.phrases.map((phrase) => ({ phrase, matching: notesOfPhrase(segments, phrase) }));
  const kept = phrases.filter(({ phrase, matching }) => phrase.required || overlap(masks, matching));
  for (const { matching } of kept) intersect(masks, matching);
  const relaxed = phrases.filter((own) => !kept.includes(own)).map(({ phrase }) => phrase);
  return { masks, relaxed };
}

const notesOfPhrase = (segments: readonly Segment[], { words }: Phrase) =>
  notesWithPhrase(
    segments,
    words.map(({ word }) => word),
  );

/** Returns whether both have a note. */
function overlap(masks: NoteMasks, others: NoteMasks): boolean {
  return masks.some((mask, index) => mask.some((bit, note) => bit === 1 && others[index]?.[note] === 1));
}

/** Returns whether any live note may be left out. */
function isRestricted({ clauses, excluded, phrases }: Query, filter: SearchFilter): boolean {
  const { tags, folder, type, created, timestamp, changed } = filter;
  const dates = [created, timestamp, changed].flatMap(({ from, to }) => [from, to]);
  const values = [tags, folder, type, ...dates];
  return clauses.length + excluded.length + phrases.length > 0 || values.some((value) => value !== null);
}

function applyFilter(masks: NoteMasks, segments: readonly Segment[], filter: SearchFilter): void {
  const { tags, folder, type, created, timestamp, changed } = filter;
  if (tags !== null) {
    const terms = tags.map((tag) => tagTerm(withoutHash(tag)));
    intersect(masks, notesWithAny(segments, terms));
  }
  if (folder !== null && folder !== '') intersect(masks, notesWithAny(segments, [folderTerm(folder)]));
  if (type !== null) intersect(masks, notesWithAny(segments, [typeTerm(type)]));
  keepDatesIn(masks, segments, created, (segment, note) => segment.created(note));
  keepDatesIn(masks, segments, timestamp, (segment, note) => segment.timestamp(note));
  keepDatesIn(masks, segments, changed, (segment, note) => segment.facts.changed(note));
}

function liveNotes({ deleted, size }: Segment): Uint8Array {
  const mask = new Uint8Array(size).fill(1);
  for (let note = 0; note < size; note++) if (deleted[note] === 1) mask[note] = 0;
  return mask;
}

function intersect(masks: NoteMasks, notes: NoteMasks): void {
  retain(masks, (segment, note) => notes[segment]?.[note] === 1);
}

function exclude(masks: NoteMasks, notes: NoteMasks): void {
  retain(masks, (segment, note) => notes[segment]?.[note] !== 1);
}

function retain(masks: NoteMasks, holds: (segment: number, note: number) => boolean): void {
  masks.forEach((mask, segment) => {
    for (let note = 0; note < mask.length; note++) if (mask[note] === 1 && !holds(segment, note)) mask[note] = 0;
  });
}

function keepDatesIn(
  masks: NoteMasks,
  segments: readonly Segment[],
  { from, to }: DateRange,
  dateOf: (segment: Segment, note: number) => number,
): void {
  if (from === null && to === null) return;
  retain(masks, (index, note) => {
    const segment = segments[index];
    const date = segment === undefined ? Number.NaN : dateOf(segment, note);
    // A missing date is NaN, for which both comparisons are false.
    return date >= (from ?? Number.NEGATIVE_INFINITY) && date <= (to ?? Number.POSITIVE_INFINITY);
  });
}

function notesWithAny(segments: readonly Segment[], terms: readonly string[]): NoteMasks {
  return segments.map((segment) => {
    const mask = new Uint8Array(segment.size);
    for (const term of terms) {
      const reader = segment.postings(term);
      while (reader?.next()) mask[reader.note] = 1;
    }
    return mask;
  });
}

/** Returns the notes that have a word in any form, or several words as a phrase. */
function notesWithWords(segments: readonly Segment[], words: readonly string[]): NoteMasks {
  const [word = ''] = words;
  if (words.length > 1) return notesWithPhrase(segments, words);
  const forms = expandWord(segments, { word, written: word }, false, languagesIn(segments)).filter(
    ({ weight }) => weight >= MIN_FORM_WEIGHT,
  );
  const terms = forms.map(({ term }) => term);
  return notesWithAny(segments, terms);
}

/** Returns the notes that match a clause. Paths and titles are compared for the notes in `among` only. */
function notesOfClause(segments: readonly Segment[], { field, value }: FilterClause, among: NoteMasks): NoteMasks {
  if (field === 'tag') return notesWithAny(segments, [tagTerm(withoutHash(value))]);
  if (field === 'folder') return notesWithAny(segments, termsOfFoldersNamed(segments, value));
  const wanted = field === 'path' ? foldPath(value) : fold(value);
  return segments.map((segment, index) => {
    const mask = new Uint8Array(segment.size);
    for (let note = 0; note < mask.length; note++) {
      if (among[index]?.[note] !== 1) continue;
      const text = field === 'path' ? foldPath(segment.path(note)) : fold(segment.info(note).title);
      if (text.includes(wanted)) mask[note] = 1;
    }
    return mask;
  });
}

/** Returns the terms of all folders whose path is a name or ends with it: `folder:b` means `b` and `a/b`. */
function termsOfFoldersNamed(segments: readonly Segment[], name: string): string[] {
  const parts = name.split('/').filter((part) => part !== '');
  const ending = `/${foldPath(parts.join('/'))}`;
  const found = segments.flatMap(({ terms }) => [...terms.containing(ending)]);
  const nested = found.filter(
    (term) => term < FILTER_TERMS_END && term.startsWith(FOLDER_TERM_PREFIX) && term.endsWith(ending),
  );
  return [folderTerm(parts.join('/')), ...nested];
}

function withoutHash(tag: string): string {
  return tag.replace(/^#/, '');
}
