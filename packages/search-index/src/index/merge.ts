import { Bytes } from './bytes.ts';
import { FrozenSegment, packIds } from './frozen-segment.ts';
import { PostingsWriter } from './postings.ts';
import { type Segment, stemKey } from './segment.ts';

/** So many terms are merged between two pauses. */
const termsAtOnce = 500;
const notesAtOnce = 2000;
const encoder = new TextEncoder();

/**
 * Makes one segment of several neighbours, given oldest first: what is dead is left out. A generator, so that whoever
 * runs it can do other things between its steps; notes that die meanwhile must be marked dead in the result too.
 *
 * @param oldest whether nothing older is left, so that nobody need be told what is gone.
 */
export function* merge(segments: readonly Segment[], oldest: boolean): Generator<void, FrozenSegment> {
  const notes = yield* mergeNotes(segments);
  const terms = yield* mergeTerms(segments, notes.numbers);
  const gone = oldest ? [] : [...new Set(segments.flatMap((segment) => segment.gone))];
  return new FrozenSegment({ ...notes.parts, ...terms, gone: packIds(gone) });
}

function* mergeNotes(segments: readonly Segment[]) {
  // The number in the result of each note of each segment; -1 for the dead.
  const numbers = segments.map((segment) => new Int32Array(segment.size).fill(-1));
  const ids: string[] = [];
  const infos = new Bytes(1 << 16);
  const infoEnds: number[] = [];
  const chunkWords: number[] = [];
  const chunkEnds: number[] = [];
  const [bodyWords, titleWords, created, timestamps]: number[][] = [[], [], [], []];
  for (const [index, segment] of segments.entries()) {
    const own = numbers[index] ?? new Int32Array();
    for (let note = 0; note < segment.size; note++) {
      if (note % notesAtOnce === notesAtOnce - 1) yield;
      if (segment.dead[note] === 1) continue;
      own[note] = ids.push(segment.id(note)) - 1;
      infos.append(encoder.encode(JSON.stringify(segment.info(note))));
      infoEnds.push(infos.length);
      for (const word of Array.from(segment.chunkWords(note))) chunkWords.push(word);
      chunkEnds.push(chunkWords.length);
      bodyWords?.push(segment.bodyWords(note));
      titleWords?.push(segment.titleWords(note));
      created?.push(segment.created(note));
      timestamps?.push(segment.timestamp(note));
    }
  }
  const parts = {
    ...{ ids: packIds(ids), infos: infos.taken(), infoEnds: Uint32Array.from(infoEnds) },
    ...{ chunkWords: Uint32Array.from(chunkWords), chunkEnds: Uint32Array.from(chunkEnds) },
    ...{ bodyWords: Uint32Array.from(bodyWords ?? []), titleWords: Uint32Array.from(titleWords ?? []) },
    ...{ created: Float64Array.from(created ?? []), timestamps: Float64Array.from(timestamps ?? []) },
  };
  return { numbers, parts };
}

function* mergeTerms(segments: readonly Segment[], numbers: readonly Int32Array[]) {
  const postings = new Bytes(1 << 16);
  const postingEnds: number[] = [];
  const kept: string[] = [];
  let done = 0;
  for (const term of inOrder(segments)) {
    if (++done % termsAtOnce === 0) yield;
    const merged = new PostingsWriter();
    for (const [index, segment] of segments.entries()) {
      const reader = segment.postings(term);
      while (reader?.next()) {
        const number = numbers[index]?.[reader.note] ?? -1;
        if (number >= 0) reader.copyTo(merged, number);
      }
    }
    if (merged.size === 0) continue;
    merged.appendTo(postings);
    postingEnds.push(postings.length);
    kept.push(term);
  }
  const stems = yield* groupByStem(kept);
  const texts = packTexts(kept);
  return {
    ...{ terms: texts.utf8, termEnds: texts.ends },
    ...{ postings: postings.taken(), postingEnds: Uint32Array.from(postingEnds) },
    ...stems,
  };
}

/** The terms of all segments in order, each once. */
function* inOrder(segments: readonly Segment[]): Generator<string> {
  const cursors = segments.map(({ terms }) => ({ terms, at: 0, term: terms.length > 0 ? terms.at(0) : null }));
  for (;;) {
    let least: string | null = null;
    for (const { term } of cursors) if (term !== null && (least === null || term < least)) least = term;
    if (least === null) return;
    yield least;
    for (const cursor of cursors) {
      if (cursor.term !== least) continue;
      cursor.at += 1;
      cursor.term = cursor.at < cursor.terms.length ? cursor.terms.at(cursor.at) : null;
    }
  }
}

function* groupByStem(terms: readonly string[]) {
  const groups = new Map<string, number[]>();
  for (const [number, term] of terms.entries()) {
    if (number % (termsAtOnce * 4) === 0) yield;
    const key = stemKey(term);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [number]);
    else group.push(number);
  }
  const keys = [...groups.keys()].filter(
    (key) => (groups.get(key)?.length ?? 0) > 1 || terms[groups.get(key)?.[0] ?? 0] !== key,
  );
  keys.sort();
  const stemTerms: number[] = [];
  const stemTermEnds = keys.map((key) => {
    stemTerms.push(...(groups.get(key) ?? []));
    return stemTerms.length;
  });
  const { utf8, ends } = packTexts(keys);
  return {
    ...{ stems: utf8, stemEnds: ends },
    ...{ stemTerms: Uint32Array.from(stemTerms), stemTermEnds: Uint32Array.from(stemTermEnds) },
  };
}

function packTexts(texts: readonly string[]) {
  let end = 0;
  const ends = Uint32Array.from(texts, (text) => {
    end += text.length;
    return end;
  });
  return { utf8: encoder.encode(texts.join('')), ends };
}
