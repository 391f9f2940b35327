import { DatabaseSync } from 'node:sqlite';
import { deriveNote } from '@notevault/note-text/derive.ts';
import { eachWord, wordsOf } from '@notevault/note-text/words.ts';
import MiniSearch from 'minisearch';

/** Finds the paths of the ten best notes for a query. */
export type FindPaths = (query: string) => string[];

type Notes = ReadonlyMap<string, string>;

const LIMIT = 10;

export const references: Readonly<Record<string, (notes: Notes) => FindPaths>> = {
  'FTS5 porter': (notes) => fts5(notes, 'porter unicode61 remove_diacritics 2', wordsAsTyped),
  'FTS5 trigram': (notes) => fts5(notes, 'trigram remove_diacritics 1', trigramWords),
  MiniSearch: miniSearch,
  'plain BM25': plainBm25,
};

function fts5(notes: Notes, tokenizer: string, termsOf: (query: string) => string[]): FindPaths {
  const db = new DatabaseSync(':memory:');
  db.exec(`create virtual table notes using fts5 (title, path, content, tokenize = '${tokenizer}')`);
  const insert = db.prepare('insert into notes (title, path, content) values (?, ?, ?)');
  for (const [path, content] of notes) insert.run(deriveNote(path, content).title, path, content);
  const find = db.prepare(`select path from notes where notes match ? order by bm25(notes, 8, 2, 1) limit ${LIMIT}`);
  return (query) => {
    const anyOf = termsOf(query)
      .map((word) => `"${word.replaceAll('"', '')}"`)
      .join(' OR ');
    return anyOf === '' ? [] : (find.all(anyOf) as { path: string }[]).map(({ path }) => path);
  };
}

/** The words as they are typed: SQLite folds them its own way. */
function wordsAsTyped(query: string): string[] {
  const words: string[] = [];
  eachWord(query, (_word, start, end) => words.push(query.slice(start, end)));
  return words;
}

/** Words of at least three letters; of a script without spaces, every three letters. */
function trigramWords(query: string): string[] {
  return query.split(/[\s"]+/).flatMap((word) => {
    const letters = [...word.replace(/[^\p{L}\p{N}\p{M}]/gu, '')];
    if (letters.length < 3) return [];
    if (!/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(word)) return [letters.join('')];
    return letters.slice(2).map((_, at) => letters.slice(at, at + 3).join(''));
  });
}

function miniSearch(notes: Notes): FindPaths {
  const index = new MiniSearch({
    idField: 'path',
    fields: ['title', 'path', 'content'],
    searchOptions: { boost: { title: 8, path: 2 }, fuzzy: 0.2, prefix: true },
  });
  for (const [path, content] of notes) index.add({ path, title: deriveNote(path, content).title, content });
  return (query) =>
    index
      .search(query)
      .slice(0, LIMIT)
      .map(({ id }) => id as string);
}

/** Okapi BM25 over the words of title and text, with the usual parameters. */
function plainBm25(notes: Notes): FindPaths {
  const [k1, b] = [1.2, 0.75];
  const texts = [...notes].map(([path, content]) => {
    const words = wordsOf(`${deriveNote(path, content).title}\n${content}`);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { path, counts, length: words.length };
  });
  const average = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  return (query) => {
    const weights = [...new Set(wordsOf(query))].map((word) => {
      const matching = texts.filter(({ counts }) => counts.has(word)).length;
      return { word, idf: Math.log(1 + (texts.length - matching + 0.5) / (matching + 0.5)) };
    });
    return texts
      .map(({ path, counts, length }) => {
        const norm = k1 * (1 - b + (b * length) / average);
        const score = weights.reduce((sum, { word, idf }) => {
          const count = counts.get(word) ?? 0;
          return sum + (idf * count * (k1 + 1)) / (count + norm);
        }, 0);
        return { path, score };
      })
      .filter(({ score }) => score > 0)
      .sort((a, c) => c.score - a.score)
      .slice(0, LIMIT)
      .map(({ path }) => path);
  };
}
