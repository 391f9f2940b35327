import { type SpelledWord, spelledWordsOf } from '@notevault/note-text/words.ts';

/** A parsed query. docs/search.md describes the syntax. */
export interface Query {
  /** Words outside quotes, in order, each once. */
  readonly words: readonly SpelledWord[];
  /** Whether the last word may still be unfinished. */
  readonly lastWordIncomplete: boolean;
  /** The words since the last space, if the last may be unfinished: a dictionary cuts what it does not know in pieces. */
  readonly lastPieces: readonly SpelledWord[];
  readonly phrases: readonly Phrase[];
  /** A note with one of these is excluded: a word, or several as a phrase. */
  readonly excluded: readonly (readonly string[])[];
  readonly clauses: readonly FilterClause[];
  /** Tags written as `#tag`: notes that have them are preferred. */
  readonly tags: readonly string[];
  /** The words and phrases as typed, without the query syntax: the text that is embedded. */
  readonly text: string;
}

/** Words in quotes, which must follow one another as they are spelt. */
export interface Phrase {
  readonly words: readonly SpelledWord[];
  /** Text between the quotes. */
  readonly text: string;
  /** Whether it filters even if no note has it: written with a `+` before it. */
  readonly required: boolean;
}

/** A filter that is written in the query itself, as `tag:work` is. */
export interface FilterClause {
  readonly field: 'tag' | 'path' | 'folder' | 'title';
  readonly value: string;
  /** Whether notes that match the clause are excluded. */
  readonly negated: boolean;
}

/** Maximum length of a query, which bounds the cost of text pasted by mistake. */
const MAX_LENGTH = 4000;
/** Words of all kinds together: each is looked up in every form. What follows them is not read. */
const MAX_WORDS = 64;
const MAX_CLAUSES = 16;

const clausePattern = /(-|\+(?="))?(?:(tag|path|folder|title):)?(?:"([^"]*)"?|([^\s"]+))/giy;
const curlyQuotes = /[“”„‟]/g;
const spacePattern = /\s*/y;

/** Parses a query in linear time. Every text is valid: text that is not syntax is read as words. */
export function parseQuery(input: string): Query {
  const source = input.slice(0, MAX_LENGTH).toWellFormed().replace(curlyQuotes, '"');
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
    const [, sign, field, quoted, bare = ''] = found;
    query.add({ sign, field, quoted, bare, isLast: offset === source.length });
  }
  return query.build();
}

interface Clause {
  /** `-` or `+`. */
  readonly sign: string | undefined;
  readonly field: string | undefined;
  /** The text in quotes, where there are quotes. */
  readonly quoted: string | undefined;
  readonly bare: string;
  /** Whether the query ends right after it. */
  readonly isLast: boolean;
}

class QueryBuilder {
  readonly #words = new Map<string, SpelledWord>();
  readonly #phrases: Phrase[] = [];
  readonly #excluded: string[][] = [];
  readonly #clauses: FilterClause[] = [];
  readonly #tags: string[] = [];
  readonly #texts: string[] = [];
  #wordCount = 0;
  #lastPieces: readonly SpelledWord[] = [];

  add(clause: Clause): void {
    const { sign, field, quoted, bare, isLast } = clause;
    this.#lastPieces = [];
    const text = quoted ?? bare;
    if (field !== undefined) {
      this.#addFilter(field, text.trim(), sign === '-');
      return;
    }
    const words = spelledWordsOf(text);
    if (words.length === 0 || this.#wordCount >= MAX_WORDS) return;
    if (sign === '-') {
      this.#addExcluded(words);
      return;
    }
    this.#texts.push(text);
    if (quoted !== undefined) this.#addPhrase(words, quoted.trim(), sign === '+');
    else {
      if (bare.startsWith('#') && this.#tags.length < MAX_CLAUSES) this.#tags.push(bare.slice(1));
      for (const word of words) this.#addWord(word);
      if (isLast) this.#lastPieces = words;
    }
  }

  #addExcluded(words: readonly SpelledWord[]): void {
    if (this.#excluded.length >= MAX_CLAUSES) return;
    const left = words.slice(0, MAX_WORDS - this.#wordCount);
    this.#excluded.push(left.map(({ word }) => word));
    this.#wordCount += left.length;
  }

  #addWord(word: SpelledWord): void {
    if (this.#wordCount >= MAX_WORDS || this.#words.has(word.word)) return;
    this.#words.set(word.word, word);
    this.#wordCount += 1;
  }

  #addPhrase(words: readonly SpelledWord[], text: string, required: boolean): void {
    const left = words.slice(0, MAX_WORDS - this.#wordCount);
    if (left.length === 0 || this.#phrases.length >= MAX_CLAUSES) return;
    this.#phrases.push({ words: left, text, required });
    this.#wordCount += left.length;
  }

  #addFilter(name: string, value: string, negated: boolean): void {
    const field = name.toLowerCase() as FilterClause['field'];
    if (value !== '' && this.#clauses.length < MAX_CLAUSES) this.#clauses.push({ field, value, negated });
  }

  build(): Query {
    return {
      words: [...this.#words.values()],
      lastWordIncomplete: this.#lastPieces.length > 0,
      lastPieces: this.#lastPieces,
      phrases: this.#phrases,
      excluded: this.#excluded,
      clauses: this.#clauses,
      tags: this.#tags,
      text: this.#texts.join(' '),
    };
  }
}
