import { functionWordLanguages } from '@notevault/note-text/words/function-words.ts';
import { LATIN_LANGUAGES, stem } from '@notevault/note-text/words/languages.ts';
import type { AnalyzedNote } from '../../src/analysis/analyzer.ts';
import { partsOfTerm, wordOfTerm } from '../../src/analysis/terms.ts';
import { WEIGHTS } from '../../src/query/query-expansion.ts';
import { PARAMETERS } from '../../src/ranking/bm25f.ts';

/** The weight with which a term of the vault matches a word of the query; 0 for no match. */
type Weigh = (term: string) => number;

/**
 * Scores every note that has a word of the query directly by the formulas, without packing, segments or shortcuts. All
 * words are ASCII, Russian or Japanese, and notes are in English or Russian.
 */
export function referenceScores(notes: readonly AnalyzedNote[], words: readonly string[]): Map<string, number> {
  const vocabulary = [...new Set(notes.flatMap(({ terms }) => [...terms.keys()]))].filter((term) =>
    term.includes('\0'),
  );
  const isFunctionWord = (word: string) =>
    ['en', 'ru', 'ja'].some((language) => functionWordLanguages(word).has(language));
  const allFunction = words.every(isFunctionWord);
  const average = (of: (note: AnalyzedNote) => number) =>
    Math.max(1, notes.reduce((sum, note) => sum + of(note), 0) / Math.max(1, notes.length));
  const averageBody = average(({ bodyWords }) => bodyWords);
  const averageTitle = average(({ titleWords }) => titleWords);
  const { k1, quality } = PARAMETERS;
  const saturated = (tf: number) => (tf * (k1 + 1)) / (tf + k1);
  const perWord = words.map((word) => {
    const weigh = weighing(vocabulary, word);
    const frequencies = notes.map((note) => {
      const body = 1 - PARAMETERS.bodyB + (PARAMETERS.bodyB * note.bodyWords) / averageBody;
      const title = 1 - PARAMETERS.titleB + (PARAMETERS.titleB * note.titleWords) / averageTitle;
      const worth = [PARAMETERS.body / body, PARAMETERS.label, PARAMETERS.heading, PARAMETERS.title / title];
      const close = [PARAMETERS.body, PARAMETERS.label, PARAMETERS.heading, PARAMETERS.title / title];
      const chunks = new Map<number, { tf: number; best: number }>();
      const positions = new Set<number>();
      let [whole, names, best, bestName] = [0, 0, 0, 0];
      for (const [term, occurrences] of note.terms) {
        for (const occurrence of weigh(term) > 0 ? occurrences : []) {
          const [field, position] = [occurrence % 4, Math.floor(occurrence / 4)];
          const weight = weigh(term);
          whole += weight * (worth[field] ?? 0);
          best = Math.max(best, weight);
          positions.add(position);
          const chunk = Math.max(
            0,
            note.info.chunks.findLastIndex(({ word: first }) => first <= position),
          );
          if (field === 1 || field === 3) {
            names += weight * (close[field] ?? 0);
            bestName = Math.max(bestName, weight);
          } else {
            const before = chunks.get(chunk) ?? { tf: 0, best: 0 };
            const tf = before.tf + weight * (close[field] ?? 0);
            chunks.set(chunk, { tf, best: Math.max(before.best, weight) });
          }
        }
      }
      return { whole, best, names, bestName, chunks, positions };
    });
    const found = frequencies.filter(({ whole }) => whole > 0).length;
    const share = !allFunction && isFunctionWord(word) ? PARAMETERS.functionWord : 1;
    return { frequencies, share, idf: share * Math.log(1 + (notes.length - found + 0.5) / (found + 0.5)) };
  });
  const idfs = perWord.reduce((sum, { idf }) => sum + idf, 0);
  const contentWords = perWord.filter(({ share }) => share === 1).length;
  /** The score of words that occur so often, in forms so good. */
  const scoreOf = (matched: readonly { idf: number; tf: number; best: number }[]) => {
    const sum = matched.reduce(
      (all, { idf, tf, best }) => all + (tf > 0 ? idf * saturated(tf) * best ** quality : 0),
      0,
    );
    const covered = matched.reduce((all, { idf, tf, best }) => all + (tf > 0 ? idf * best : 0), 0) / idfs;
    const factor = contentWords < 2 ? 1 : 1 - (PARAMETERS.coverage / (contentWords - 1)) * (1 - covered);
    return (factor * sum) / (idfs * (k1 + 1));
  };
  const scores = new Map<string, number>();
  notes.forEach((note, at) => {
    const own = perWord.map(({ frequencies, idf }) => ({ ...(frequencies[at] ?? never()), idf }));
    const whole = scoreOf(own.map(({ whole: tf, best, idf }) => ({ tf, best, idf })));
    if (whole === 0) return;
    const chunkNumbers = [...new Set(own.flatMap(({ chunks }) => [...chunks.keys()]))];
    const chunkScore = (chunk: number) =>
      scoreOf(
        own.map(({ names, bestName, chunks, idf }) => {
          const { tf, best } = chunks.get(chunk) ?? { tf: 0, best: 0 };
          return { tf: names + tf, best: Math.max(bestName, best), idf };
        }),
      );
    const bestChunk = Math.max(...(chunkNumbers.length === 0 ? [-1] : chunkNumbers).map(chunkScore));
    let [pairs, near] = [0, 0];
    own.forEach((after, index) => {
      const before = own[index - 1];
      if (before === undefined) return;
      pairs += before.idf + after.idf;
      if ([...before.positions].some((position) => after.positions.has(position + 1))) near += before.idf + after.idf;
    });
    const base = (1 - PARAMETERS.chunk) * whole + PARAMETERS.chunk * bestChunk;
    const score = base + (1 - base) * PARAMETERS.proximity * (pairs === 0 ? 0 : near / pairs);
    const isTitle = note.terms.has(`\x01n${words.join(' ')}`);
    scores.set(note.id, isTitle ? score + (1 - score) * PARAMETERS.wholeTitle : score);
  });
  return scores;
}

function weighing(vocabulary: readonly string[], word: string): Weigh {
  const ownFunction = functionWordLanguages(word).size > 0;
  const form = (term: string) => {
    const { word: other, language } = partsOfTerm(term);
    if (other === word) return WEIGHTS.exact;
    const isFunctionWord =
      language === 'latin' ? functionWordLanguages(other).size > 0 : functionWordLanguages(other).has(language);
    if (!ownFunction && isFunctionWord) return 0;
    const languages = language === 'latin' ? LATIN_LANGUAGES : language === 'none' ? [] : [language];
    return languages.some((each) => stem(other, each) === stem(word, each)) ? WEIGHTS.stem : 0;
  };
  if (vocabulary.some((term) => form(term) > 0)) return form;
  if (word.length >= 3 && vocabulary.some((term) => term.startsWith(word))) {
    return (term) => (term.startsWith(word) ? WEIGHTS.prefix : 0);
  }
  const most = /^\d+$/.test(word) ? 0 : word.length >= 6 ? 2 : word.length >= 4 ? 1 : 0;
  return (term) => {
    const edits = distance(wordOfTerm(term), word);
    return edits > most ? 0 : edits === 1 ? WEIGHTS.oneEdit : WEIGHTS.twoEdits;
  };
}

/** Returns the edit distance by its definition (optimal string alignment). */
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
