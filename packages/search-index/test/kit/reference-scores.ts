import type { Language } from '@notevault/note-text/words/languages.ts';
import { isFunctionWord, stem } from '@notevault/note-text/words/languages.ts';
import { type AnalysedNote, languageOfTerm, wordOf } from '../../src/domains/search/analyse.ts';
import { scoring } from '../../src/domains/search/scoring.ts';

/** How a word of the query is met by a term of the vault, or 0. */
type Weigh = (term: string) => number;

/** The score of each note that has a word of the query, straight from the formulas: no packing, no segments, no shortcuts. */
export function referenceScores(notes: readonly AnalysedNote[], words: readonly string[]): Map<string, number> {
  const vocabulary = [...new Set(notes.flatMap(({ terms }) => [...terms.keys()]))].filter((term) =>
    term.includes('\0'),
  );
  const allFunction = words.every(isFunctionWord);
  const average = (of: (note: AnalysedNote) => number) =>
    Math.max(1, notes.reduce((sum, note) => sum + of(note), 0) / Math.max(1, notes.length));
  const averageBody = average(({ bodyWords }) => bodyWords);
  const averageTitle = average(({ titleWords }) => titleWords);
  const saturated = (tf: number) => (tf * (scoring.k1 + 1)) / (tf + scoring.k1);
  const perWord = words.map((word) => {
    const weigh = weighing(vocabulary, word);
    const frequencies = notes.map((note) => {
      const body = 1 - scoring.bodyLength + (scoring.bodyLength * note.bodyWords) / averageBody;
      const title = 1 - scoring.titleLength + (scoring.titleLength * note.titleWords) / averageTitle;
      const worth = [scoring.body / body, scoring.label, scoring.heading, scoring.title / title];
      const close = [scoring.body, scoring.label, scoring.heading, scoring.title / title];
      const chunks = new Map<number, number>();
      const positions = new Set<number>();
      let [whole, names] = [0, 0];
      for (const [term, places] of note.terms) {
        for (const place of weigh(term) > 0 ? places : []) {
          const [field, position] = [place % 4, Math.floor(place / 4)];
          whole += weigh(term) * (worth[field] ?? 0);
          positions.add(position);
          const chunk = Math.max(
            0,
            note.info.chunks.findLastIndex(({ word: first }) => first <= position),
          );
          if (field === 1 || field === 3) names += weigh(term) * (close[field] ?? 0);
          else chunks.set(chunk, (chunks.get(chunk) ?? 0) + weigh(term) * (close[field] ?? 0));
        }
      }
      return { whole, names, chunks, positions };
    });
    const found = frequencies.filter(({ whole }) => whole > 0).length;
    const share = !allFunction && isFunctionWord(word) ? scoring.functionWord : 1;
    return { frequencies, idf: share * Math.log(1 + (notes.length - found + 0.5) / (found + 0.5)) };
  });
  const best = perWord.reduce((sum, { idf }) => sum + idf * (scoring.k1 + 1), 0);
  const scores = new Map<string, number>();
  notes.forEach((note, at) => {
    const own = perWord.map(({ frequencies, idf }) => ({ ...(frequencies[at] ?? never()), idf }));
    const whole = own.reduce((sum, { whole: tf, idf }) => sum + idf * saturated(tf), 0);
    if (whole === 0) return;
    const chunkNumbers = [...new Set(own.flatMap(({ chunks }) => [...chunks.keys()]))];
    const chunkScore = (chunk: number) =>
      own.reduce((sum, { names, chunks, idf }) => sum + idf * saturated(names + (chunks.get(chunk) ?? 0)), 0);
    const bestChunk = Math.max(...(chunkNumbers.length === 0 ? [-1] : chunkNumbers).map(chunkScore));
    let [pairs, near] = [0, 0];
    own.forEach((after, index) => {
      const before = own[index - 1];
      if (before === undefined) return;
      pairs += before.idf + after.idf;
      if ([...before.positions].some((position) => after.positions.has(position + 1))) near += before.idf + after.idf;
    });
    const base = ((1 - scoring.chunk) * whole + scoring.chunk * bestChunk) / best;
    scores.set(note.id, base + (1 - base) * scoring.neighbours * (pairs === 0 ? 0 : near / pairs));
  });
  return scores;
}

function weighing(vocabulary: readonly string[], word: string): Weigh {
  const form = (term: string) => {
    const language = languageOfTerm(term) as Language;
    if (wordOf(term) === word) return 1;
    return language !== 'none' && stem(wordOf(term), language) === stem(word, language) ? 0.9 : 0;
  };
  if (vocabulary.some((term) => form(term) > 0)) return form;
  const most = /^\d+$/.test(word) ? 0 : word.length >= 8 ? 2 : word.length >= 4 ? 1 : 0;
  return (term) => {
    if (word.length >= 3 && term.startsWith(word)) return 0.6;
    const edits = distance(wordOf(term), word);
    return edits > most ? 0 : edits === 1 ? 0.5 : 0.3;
  };
}

/** Optimal string alignment, by the definition. */
export function distance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i || j));
  const at = (i: number, j: number) => table[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      const row = table[i] ?? [];
      row[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        swapped,
      );
    }
  }
  return at(a.length, b.length);
}

function never(): never {
  throw new RangeError('a note without its frequencies');
}
