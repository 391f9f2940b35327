import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { wordsOf } from '@notevault/note-text/words.ts';

const shared = join(import.meta.dirname, '../../../shared/vaults');
const languages = ['en', 'ru', 'ja'];

/** A note made of paragraphs of real notes, with the title of one of them. */
export interface MadeNote {
  readonly path: string;
  readonly content: string;
}

/** Returns a function that makes notes by number, deterministically; each in one language, of one to two kilobytes. */
export function madeNotes(): (index: number) => MadeNote {
  const byLanguage = languages.map((language) => {
    const files = globSync('**/*.md', { cwd: join(shared, language) }).sort();
    const texts = files.map((file) => readFileSync(join(shared, language, file), 'utf8'));
    const paragraphs = texts
      .flatMap((text) => text.split(/\n{2,}/))
      .filter((text) => text.length > 40 && text.length < 2000);
    if (paragraphs.length === 0) throw new Error(`this bench makes notes of those in ${join(shared, language)}`);
    return { language, titles: files.map((file) => basename(file, '.md')), paragraphs };
  });
  return (index) => {
    let state = (index + 1) * 2654435761;
    const below = (end: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * end);
    };
    const own = byLanguage[index % byLanguage.length];
    if (own === undefined) throw new RangeError('no vaults');
    const pick = (from: readonly string[]) => from[below(from.length)] ?? '';
    const parts = [`# ${pick(own.titles)} ${index}`];
    for (let length = 0; length < 1200; length += parts.at(-1)?.length ?? 0) parts.push(pick(own.paragraphs));
    if (parts.length > 3) parts.splice(2, 0, `## ${pick(own.titles)}`);
    return { path: `${own.language}/folder ${below(50)}/${pick(own.titles)} ${index}.md`, content: parts.join('\n\n') };
  };
}

/** The queries of the tests' golden queries, words only. */
export function askedQueries(): string[] {
  const golden = join(import.meta.dirname, '../../server/test/golden/queries.json');
  const queries = JSON.parse(readFileSync(golden, 'utf8')) as { readonly query: string }[];
  return queries.map(({ query }) => query.replaceAll('"', ''));
}

const QUERY_WORDS = 64;
const SAMPLED_NOTES = 300;

/** Queries of as many words as one may have: the most common words, and long words with two letters swapped twice. */
export function costlyQueries(noteAt: (index: number) => MadeNote, size: number): Record<string, string> {
  const counts = new Map<string, number>();
  for (let index = 0; index < Math.min(size, SAMPLED_NOTES); index++) {
    for (const word of wordsOf(noteAt(index).content)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const common = [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word);
  const long = common.filter((word) => word.length >= 9 && /^[a-zа-я]+$/.test(word));
  const misspelt = long.map((word) => `${word.slice(0, 2)}${word[3]}${word[2]}${word[5]}${word[4]}${word.slice(6)}`);
  return {
    '64 common words': common.slice(0, QUERY_WORDS).join(' '),
    '64 misspelt words': misspelt.slice(0, QUERY_WORDS).join(' '),
  };
}
