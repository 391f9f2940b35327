import { wordsOf } from '@notevault/note-text/words.ts';

/** A parsed query. docs/search.md describes the syntax. */
export interface Query {
  /** Words outside quotes: folded, in order, each once. */
  readonly words: readonly string[];
  /** Whether the last word may still be unfinished. */
  readonly lastWordIncomplete: boolean;
  /** Words that must follow one another, as they are spelt. */
  readonly phrases: readonly (readonly string[])[];
  /** A note with one of these is excluded: a word, or several as a phrase. */
  readonly excluded: readonly (readonly string[])[];
  readonly clauses: readonly FilterClause[];
  /** The words and phrases as typed, without the query syntax: the text that is embedded. */
  readonly text: string;
}

/** A filter that is written in the query itself, as `tag:work` is. */
export interface FilterClause {
  readonly field: 'tag' | 'path' | 'folder' | 'title';
  readonly value: string;
  /** Whether notes that match the clause are excluded. */
  readonly negated: boolean;
}

/** Nobody types a longer query; this bounds the cost of a text pasted by mistake. */
const MAX_LENGTH = 4000;
const MAX_WORDS = 32;
const MAX_CLAUSES = 16;

const clausePattern = /(-?)(?:(tag|path|folder|title):)?(?:"([^"]*)"?|([^\s"]+))/giy;
const spacePattern = /\s*/y;

/** Parses a query in linear time. Every text is valid: text that is not syntax is read as words. */
export function parseQuery(input: string): Query {
  const source = input.slice(0, MAX_LENGTH).toWellFormed();
  const query = new QueryBuilder();
  for (let offset = 0; offset < source.length; ) {
    spacePattern.lastIndex = offset;
    spacePattern.exec(source);
    clausePattern.lastIndex = spacePattern.lastIndex;
    const found = clausePattern.exec(source);
    if (found === null) {
      offset = Math.max(spacePattern.lastIndex, offset + 1);
      continue;
    }
    offset = clausePattern.lastIndex;
    const [, minus = '', field, quoted, bare = ''] = found;
    query.add({ negated: minus !== '', field, quoted, bare, isLast: offset === source.length });
  }
  return query.build();
}

interface Clause {
  readonly negated: boolean;
  readonly field: string | undefined;
  /** The text in quotes, where there are quotes. */
  readonly quoted: string | undefined;
  readonly bare: string;
  /** Whether the query ends right after it. */
  readonly isLast: boolean;
}

class QueryBuilder {
  readonly #words = new Set<string>();
  readonly #phrases: string[][] = [];
  readonly #excluded: string[][] = [];
  readonly #clauses: FilterClause[] = [];
  readonly #texts: string[] = [];
  #lastWordIncomplete = false;

  add(clause: Clause): void {
    const { negated, field, quoted, bare, isLast } = clause;
    this.#lastWordIncomplete = false;
    const text = quoted ?? bare;
    if (field !== undefined) {
      this.#addFilter(field, text.trim(), negated);
      return;
    }
    const words = wordsOf(text);
    if (words.length === 0) return;
    if (negated) {
      if (this.#excluded.length < MAX_CLAUSES) this.#excluded.push(words.slice(0, MAX_WORDS));
      return;
    }
    this.#texts.push(text);
    if (quoted !== undefined && words.length > 1) {
      if (this.#phrases.length < MAX_CLAUSES) this.#phrases.push(words.slice(0, MAX_WORDS));
    } else {
      for (const word of words) if (this.#words.size < MAX_WORDS) this.#words.add(word);
      this.#lastWordIncomplete = quoted === undefined && isLast;
    }
  }

  #addFilter(name: string, value: string, negated: boolean): void {
    const field = name.toLowerCase() as FilterClause['field'];
    if (value !== '' && this.#clauses.length < MAX_CLAUSES) this.#clauses.push({ field, value, negated });
  }

  build(): Query {
    return {
      words: [...this.#words],
      lastWordIncomplete: this.#lastWordIncomplete,
      phrases: this.#phrases,
      excluded: this.#excluded,
      clauses: this.#clauses,
      text: this.#texts.join(' '),
    };
  }
}
