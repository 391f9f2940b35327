import { deriveNote } from '@notevault/note-text/derive.ts';
import { isUnspaced } from '@notevault/note-text/words/classes.ts';
import { eachWord, wordsOf } from '@notevault/note-text/words.ts';
import { Random, seedOf } from '../kit/random.ts';

/** A query that somebody who knows a note would type to find it again. */
export interface KnownItem {
  readonly kind: string;
  readonly query: string;
  /** The sentence that the query was taken from, or null. */
  readonly answer: string | null;
}

interface Word {
  readonly text: string;
  readonly letters: number;
}

/** How many queries of a note have a wrong word. */
const WRONG_WORDS = 2;

/**
 * Makes queries of a note: its title, the first letters of the title, a heading, a part of a sentence, three words of a
 * sentence, words with one or two typing errors, and words among which is one of another note.
 *
 * @param seed the same note and seed give the same queries.
 * @param other the text of another note; null for no queries with a wrong word.
 */
export function knownItemsOf(seed: string, path: string, content: string, other: string | null = null): KnownItem[] {
  const random = new Random(seedOf(seed));
  const { title, headings } = deriveNote(path, content);
  const sentences = sentencesOf(content);
  const queries: KnownItem[] = [];
  const add = (kind: string, query: string | null, answer: string | null = null) => {
    if (query !== null && query.trim() !== '') queries.push({ kind, query, answer });
  };
  add('title', title);
  add('first letters', firstLetters(title, random));
  const heading = headings.length === 0 ? null : random.pick(headings).text;
  add('heading', heading === title ? null : heading);
  if (sentences.length === 0) return queries;
  const whole = random.pick(sentences);
  add('sentence', partOfSentence(whole, random), whole);
  const scattered = random.pick(sentences);
  add('three words', threeWords(scattered, random), scattered);
  const words = sentences.flatMap((sentence) => wordsOfSentence(sentence));
  add('one error', withErrors(words, 5, 1, random));
  add('two errors', withErrors(words, 7, 2, random));
  const wrong = other === null ? [] : foreignWords(content, other);
  for (let count = 0; count < WRONG_WORDS; count++)
    add('wrong word', withWrongWord(random.pick(sentences), wrong, random));
  return queries;
}

/** The words of another text that a note does not have. */
function foreignWords(content: string, other: string): string[] {
  const own = new Set(wordsOf(content));
  const words = sentencesOf(other).flatMap(wordsOfSentence);
  return words.map(({ text }) => text).filter((text) => !wordsOf(text).some((word) => own.has(word)));
}

/** Two words of a sentence and a wrong one, as somebody remembers a note in part. */
function withWrongWord(sentence: string, wrong: readonly string[], random: Random): string | null {
  const words = wordsOfSentence(sentence).map(({ text }) => text);
  if (words.length < 2 || wrong.length === 0) return null;
  return [...random.shuffled(words).slice(0, 2), random.pick(wrong)].join(' ');
}

/** Sentences of plain prose: lines with syntax of markdown are left out. */
function sentencesOf(content: string): string[] {
  const body = content.replace(/^---\n[\s\S]*?\n---\n/, '');
  return body
    .split('\n')
    .filter((line) => !/^\s*(?:[#>|`!<%-]|\d+\.)|[[\]<>`{}|*]|https?:/.test(line))
    .flatMap((line) => line.split(/(?<=[.!?;:]) +|(?<=[。！？；])/))
    .filter((sentence) => wordsOfSentence(sentence).length >= 4);
}

/** The words that carry meaning, roughly: the longer ones. */
function wordsOfSentence(sentence: string): Word[] {
  const words: Word[] = [];
  eachWord(sentence, (word, start, end) => {
    const text = sentence.slice(start, end);
    const letters = [...text].length;
    if (letters >= (isUnspaced(word) || /\p{sc=Hangul}/u.test(word) ? 2 : 4)) words.push({ text, letters });
  });
  return words;
}

/** The beginning of a title, as it looks while it is being typed. */
function firstLetters(title: string, random: Random): string | null {
  const letters = [...title];
  const least = isUnspaced(title) ? 2 : 4;
  if (letters.length < least + 2) return null;
  return letters
    .slice(0, Math.max(least, Math.floor(letters.length * (0.4 + random.next() * 0.4))))
    .join('')
    .trim();
}

/** Six words of a sentence, one after another; in scripts without spaces about as many letters. */
function partOfSentence(sentence: string, random: Random): string {
  if (isUnspaced(sentence)) {
    const letters = [...sentence.replace(/[。！？；：]$/, '')];
    const start = random.below(Math.max(1, letters.length - 14));
    return letters.slice(start, start + 14).join('');
  }
  const words = sentence.split(' ');
  const start = random.below(Math.max(1, words.length - 6));
  return words.slice(start, start + 6).join(' ');
}

function threeWords(sentence: string, random: Random): string | null {
  const words = wordsOfSentence(sentence).map(({ text }) => text);
  if (words.length < 3) return null;
  return random.shuffled(words).slice(0, 3).join(' ');
}

/** Two words, both with errors. Scripts that are typed by conversion have errors of another kind. */
function withErrors(words: readonly Word[], least: number, errors: number, random: Random): string | null {
  const long = words.filter(
    ({ text, letters }) => letters >= least && /^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Hebrew}]+$/u.test(text),
  );
  if (long.length < 2) return null;
  const [first, second] = random.shuffled(long);
  if (first === undefined || second === undefined) return null;
  const wrong = [first, second].map(({ text }) => {
    let letters = [...text];
    for (let count = 0; count < errors; count++) letters = withError(letters, random);
    return letters.join('');
  });
  return wrong.join(' ');
}

/** A letter left out, doubled, replaced, or swapped with the next; never the first one, which people get right. */
function withError(letters: readonly string[], random: Random): string[] {
  const at = 1 + random.below(letters.length - 2);
  const [letter = '', next = ''] = letters.slice(at, at + 2);
  const edits = [[next], [letter, letter, next], [random.pick(letters), next], [next, letter]];
  return [...letters.slice(0, at), ...random.pick(edits), ...letters.slice(at + 2)];
}
