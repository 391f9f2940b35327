/** Texts with fewer letters are too short to be recognised by what they share. */
const LETTERS_MIN = 200;
/** Words in a row that two texts must share: single words are in most texts of a language. */
const ROW = 3;

// Where a script has no spaces, each letter counts as a word.
const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+/gu;

/** Similarity of two texts: the letters in word sequences that both contain, and the letters of the longer text. */
export interface Likeness {
  readonly shared: number;
  readonly most: number;
}

export function likeness(a: string, b: string): Likeness {
  const [wordsOfA, wordsOfB] = [wordsIn(a), wordsIn(b)];
  const shared = Math.min(sharedLetters(wordsOfA, rowsOf(wordsOfB)), sharedLetters(wordsOfB, rowsOf(wordsOfA)));
  return { shared, most: Math.max(lettersIn(wordsOfA), lettersIn(wordsOfB)) };
}

/** Returns whether one of two texts was made from the other: more than half of the letters, of at least 200, agree. */
export function isLike({ shared, most }: Likeness): boolean {
  return most >= LETTERS_MIN && shared * 2 > most;
}

const wordsIn = (text: string): readonly string[] => text.match(WORDS) ?? [];
const lettersIn = (words: readonly string[]) => words.reduce((sum, { length }) => sum + length, 0);
const rowAt = (words: readonly string[], at: number) => words.slice(at, at + ROW).join(' ');

function rowsOf(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.map((_, at) => rowAt(words, at)));
}

function sharedLetters(words: readonly string[], rows: ReadonlySet<string>): number {
  let [shared, until] = [0, 0];
  for (const [at, { length }] of words.entries()) {
    if (at + ROW <= words.length && rows.has(rowAt(words, at))) until = at + ROW;
    if (at < until) shared += length;
  }
  return shared;
}
