import type { Language } from '@notevault/note-text/words/languages.ts';
import { isFunctionWord, stem } from '@notevault/note-text/words/languages.ts';
import type { AnalyzedNote } from '../../src/analysis/analyzer.ts';
import { languageOfTerm, wordOfTerm } from '../../src/analysis/terms.ts';
import { PARAMETERS } from '../../src/ranking/bm25f.ts';

/** The weight with which a term of the vault matches a word of the query; 0 for no match. */
type Weigh = (term: string) => number;

/** Scores every note that has a word of the query directly by the formulas, without packing, segments or shortcuts. */
export function referenceScores(notes: readonly AnalyzedNote[], words: readonly string[]): Map<string, number> {
  const vocabulary = [...new Set(notes.flatMap(({ terms }) => [...terms.keys()]))].filter((term) =>
    term.includes('\0'),
  );
  const allFunction = words.every(isFunctionWord);
  const average = (of: (note: AnalyzedNote) => number) =>
    Math.max(1, notes.reduce((sum, note) => sum + of(note), 0) / Math.max(1, notes.length));
  const averageBody = average(({ bodyWords }) => bodyWords);
  const averageTitle = average(({ titleWords }) => titleWords);
  const saturated = (tf: number) => (tf * (PARAMETERS.k1 + 1)) / (tf + PARAMETERS.k1);
  const perWord = words.map((word) => {
    const weigh = weighing(vocabulary, word);
    const frequencies = notes.map((note) => {
      const body = 1 - PARAMETERS.bodyB + (PARAMETERS.bodyB * note.bodyWords) / averageBody;
      const title = 1 - PARAMETERS.titleB + (PARAMETERS.titleB * note.titleWords) / averageTitle;
      const worth = [PARAMETERS.body / body, PARAMETERS.label, PARAMETERS.heading, PARAMETERS.title / title];
      const close = [PARAMETERS.body, PARAMETERS.label, PARAMETERS.heading, PARAMETERS.title / title];
      const chunks = new Map<number, number>();
      const positions = new Set<number>();
      let [whole, names] = [0, 0];
      for (const [term, occurrences] of note.terms) {
        for (const occurrence of weigh(term) > 0 ? occurrences : []) {
          const [field, position] = [occurrence % 4, Math.floor(occurrence / 4)];
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
    const share = !allFunction && isFunctionWord(word) ? PARAMETERS.functionWord : 1;
    return { frequencies, idf: share * Math.log(1 + (notes.length - found + 0.5) / (found + 0.5)) };
  });
  const best = perWord.reduce((sum, { idf }) => sum + idf * (PARAMETERS.k1 + 1), 0);
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
    const base = ((1 - PARAMETERS.chunk) * whole + PARAMETERS.chunk * bestChunk) / best;
    scores.set(note.id, base + (1 - base) * PARAMETERS.proximity * (pairs === 0 ? 0 : near / pairs));
  });
  return scores;
}

function weighing(vocabulary: readonly string[], word: string): Weigh {
  const form = (term: string) => {
    const language = languageOfTerm(term) as Language;
    if (wordOfTerm(term) === word) return 1;
    return language !== 'none' && stem(wordOfTerm(term), language) === stem(word, language) ? 0.9 : 0;
  };
  if (vocabulary.some((term) => form(term) > 0)) return form;
  const most = /^\d+$/.test(word) ? 0 : word.length >= 8 ? 2 : word.length >= 4 ? 1 : 0;
  return (term) => {
    if (word.length >= 3 && term.startsWith(word)) return 0.6;
    const edits = distance(wordOfTerm(term), word);
    return edits > most ? 0 : edits === 1 ? 0.5 : 0.3;
  };
}

/** The edit distance by its definition (optimal string alignment). */
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
