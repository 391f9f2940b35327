import { wordsOf } from '@notevault/note-text/words.ts';

/** What a query asks for, in the contract's syntax (section 10). */
export interface Query {
  /** Words outside quotes, folded, in order, each once. */
  readonly words: readonly string[];
  /** Whether the last word may be one that is still being typed. */
  readonly typing: boolean;
  /** Words that must stand one after the other, as they are spelt. */
  readonly phrases: readonly (readonly string[])[];
  /** A note with one of these (a word, or several as a phrase) is out. */
  readonly excluded: readonly (readonly string[])[];
  readonly filters: readonly Filter[];
  /** What is left for a reader who knows no syntax: the words and phrases as they were written. */
  readonly text: string;
}

export interface Filter {
  readonly field: 'tag' | 'path' | 'folder' | 'title';
  readonly value: string;
  /** Whether it says what must not be. */
  readonly not: boolean;
}

/** Nobody types more; what is pasted by mistake costs no more than this. */
const maxLength = 4000;
const maxWords = 32;
const maxClauses = 16;

const clause = /(-?)(?:(tag|path|folder|title):)?(?:"([^"]*)"?|([^\s"]+))/giy;
const space = /\s*/y;

/** Reads a query. Anything is one: what makes no sense as syntax is words. Takes time linear in the length. */
export function parseQuery(sent: string): Query {
  const source = sent.slice(0, maxLength).toWellFormed();
  const words = new Set<string>();
  const phrases: string[][] = [];
  const excluded: string[][] = [];
  const filters: Filter[] = [];
  const texts: string[] = [];
  let typing = false;
  for (let at = 0; at < source.length; ) {
    space.lastIndex = at;
    space.exec(source);
    clause.lastIndex = space.lastIndex;
    const found = clause.exec(source);
    if (found === null) {
      at = Math.max(space.lastIndex, at + 1);
      continue;
    }
    at = clause.lastIndex;
    const [, minus = '', field, quoted, bare = ''] = found;
    const not = minus !== '';
    typing = false;
    if (field !== undefined) {
      const value = (quoted ?? bare).trim();
      if (value !== '' && filters.length < maxClauses) filters.push({ field: fieldOf(field), value, not });
      continue;
    }
    const own = wordsOf(quoted ?? bare);
    if (own.length === 0) continue;
    if (not) {
      if (excluded.length < maxClauses) excluded.push(own.slice(0, maxWords));
      continue;
    }
    texts.push(quoted ?? bare);
    if (quoted !== undefined && own.length > 1) {
      if (phrases.length < maxClauses) phrases.push(own.slice(0, maxWords));
    } else {
      for (const word of own) if (words.size < maxWords) words.add(word);
      typing = quoted === undefined && at === source.length;
    }
  }
  return { words: [...words], typing, phrases, excluded, filters, text: texts.join(' ') };
}

function fieldOf(name: string): Filter['field'] {
  return name.toLowerCase() as Filter['field'];
}
