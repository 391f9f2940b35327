import { stemKeys } from '../analysis/terms.ts';
import { mergeFacts } from './columns.ts';
import { FrozenSegment } from './frozen-segment.ts';
import { packIds } from './note-ids.ts';
import { packTexts } from './packed-texts.ts';
import { PostingsWriter } from './postings.ts';
import type { Segment } from './segment.ts';
import { VarintWriter } from './varint.ts';

const TERMS_PER_STEP = 500;
const NOTES_PER_STEP = 2000;
const encoder = new TextEncoder();

/**
 * Merges neighbouring segments, given oldest first, into one without their deleted notes. The generator yields every few
 * milliseconds. Notes that are deleted meanwhile must be marked as deleted in the result too.
 *
 * @param isOldest whether no older segment exists: the result then needs no tombstones.
 */
export function* mergeSegments(segments: readonly Segment[], isOldest: boolean): Generator<void, FrozenSegment> {
  const { noteNumbers, arrays: notes } = yield* mergeNotes(segments);
  const terms = yield* mergeTerms(segments, noteNumbers);
  const facts = yield* mergeFacts(
    segments.map((segment) => segment.facts),
    noteNumbers,
  );
  const tombstones = isOldest ? [] : [...new Set(segments.flatMap((segment) => segment.tombstones))];
  return new FrozenSegment({ ...notes, ...terms, ...facts, tombstones: packIds(tombstones) });
}

function* mergeNotes(segments: readonly Segment[]) {
  // For each segment and note its number in the result; -1 for a deleted note.
  const noteNumbers = segments.map((segment) => new Int32Array(segment.size).fill(-1));
  const ids: string[] = [];
  const paths = new VarintWriter(1 << 12);
  const pathEnds: number[] = [];
  const infos = new VarintWriter(1 << 16);
  const infoEnds: number[] = [];
  const chunkPositions: number[] = [];
  const chunkEnds: number[] = [];
  const bodyWords: number[] = [];
  const titleWords: number[] = [];
  const created: number[] = [];
  const timestamps: number[] = [];
  for (const [index, segment] of segments.entries()) {
    const numbers = noteNumbers[index] ?? new Int32Array();
    for (let note = 0; note < segment.size; note++) {
      if (note % NOTES_PER_STEP === NOTES_PER_STEP - 1) yield;
      if (segment.deleted[note] === 1) continue;
      numbers[note] = ids.push(segment.id(note)) - 1;
      const { path, ...info } = segment.info(note);
      paths.append(encoder.encode(path));
      pathEnds.push(paths.length);
      infos.append(encoder.encode(JSON.stringify(info)));
      infoEnds.push(infos.length);
      for (const position of Array.from(segment.chunkPositions(note))) chunkPositions.push(position);
      chunkEnds.push(chunkPositions.length);
      bodyWords.push(segment.bodyWords(note));
      titleWords.push(segment.titleWords(note));
      created.push(segment.created(note));
      timestamps.push(segment.timestamp(note));
    }
  }
  const arrays = {
    ids: packIds(ids),
    paths: paths.toBytes(),
    pathEnds: Uint32Array.from(pathEnds),
    infos: infos.toBytes(),
    infoEnds: Uint32Array.from(infoEnds),
    chunkPositions: Uint32Array.from(chunkPositions),
    chunkEnds: Uint32Array.from(chunkEnds),
    bodyWords: Uint32Array.from(bodyWords),
    titleWords: Uint32Array.from(titleWords),
    created: Float64Array.from(created),
    timestamps: Float64Array.from(timestamps),
  };
  return { noteNumbers, arrays };
}

function* mergeTerms(segments: readonly Segment[], noteNumbers: readonly Int32Array[]) {
  const postings = new VarintWriter(1 << 16);
  const postingEnds: number[] = [];
  const terms: string[] = [];
  let done = 0;
  for (const term of distinctTerms(segments)) {
    if (++done % TERMS_PER_STEP === 0) yield;
    const merged = new PostingsWriter();
    for (const [index, segment] of segments.entries()) {
      const reader = segment.postings(term);
      while (reader?.next()) {
        const number = noteNumbers[index]?.[reader.note] ?? -1;
        if (number >= 0) reader.copyTo(merged, number);
      }
    }
    // Only deleted notes had the term, so it is dropped.
    if (merged.size === 0) continue;
    merged.appendTo(postings);
    postingEnds.push(postings.length);
    terms.push(term);
  }
  const stems = yield* groupByStem(terms);
  const texts = packTexts(terms);
  return {
    terms: texts.utf8,
    termEnds: texts.ends,
    postings: postings.toBytes(),
    postingEnds: Uint32Array.from(postingEnds),
    ...stems,
  };
}

/** Returns the terms of all segments in order, each once. */
function* distinctTerms(segments: readonly Segment[]): Generator<string> {
  const cursors = segments.map(({ terms }) => ({ terms, index: 0, term: terms.length > 0 ? terms.at(0) : null }));
  for (;;) {
    let least: string | null = null;
    for (const { term } of cursors) if (term !== null && (least === null || term < least)) least = term;
    if (least === null) return;
    yield least;
    for (const cursor of cursors) {
      if (cursor.term !== least) continue;
      cursor.index += 1;
      cursor.term = cursor.index < cursor.terms.length ? cursor.terms.at(cursor.index) : null;
    }
  }
}

/** Lists the terms of each stem key that has several terms, or whose only term is not the stem itself. */
function* groupByStem(terms: readonly string[]) {
  const groups = new Map<string, number[]>();
  for (const [index, term] of terms.entries()) {
    if (index % (TERMS_PER_STEP * 4) === 0) yield;
    for (const key of stemKeys(term)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [index]);
      else group.push(index);
    }
  }
  const keys = [...groups.keys()].filter((key) => {
    const group = groups.get(key) ?? [];
    return group.length > 1 || terms[group[0] ?? 0] !== key;
  });
  keys.sort();
  const stemTerms: number[] = [];
  const stemTermEnds = keys.map((key) => {
    stemTerms.push(...(groups.get(key) ?? []));
    return stemTerms.length;
  });
  const { utf8, ends } = packTexts(keys);
  return {
    stems: utf8,
    stemEnds: ends,
    stemTerms: Uint32Array.from(stemTerms),
    stemTermEnds: Uint32Array.from(stemTermEnds),
  };
}
