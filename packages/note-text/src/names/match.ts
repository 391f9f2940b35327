import { foldPath } from '../paths.ts';
import { compareCodePoints } from './order.ts';

/** Item that can be found by part of its name: a note, folder, tag, heading or command. */
export interface Candidate {
  readonly name: string;
  /** Further text that counts less: a folder, synonyms. */
  readonly detail?: string;
}

interface FoldedNames {
  readonly name: string;
  readonly detail: string;
}

/** Folding costs more than comparing, and the same candidates are compared with each letter that is typed. */
const foldedCandidates = new WeakMap<Candidate, FoldedNames>();

function folded(candidate: Candidate): FoldedNames {
  const known = foldedCandidates.get(candidate);
  if (known !== undefined) return known;
  const { name, detail = '' } = candidate;
  const made = { name: foldPath(name), detail: foldPath(detail) };
  foldedCandidates.set(candidate, made);
  return made;
}

/** More are not looked through by people. */
const MOST = 50;

function wordsOf(query: string): string[] {
  return foldPath(query).trim().split(/\s+/).filter(Boolean);
}

/**
 * Returns the candidates that have the letters of each word of a query in order, best first: the whole name, its
 * beginning, the beginning of a word in it, elsewhere in it, then the detail, then letters that are spread. Of equals the
 * shorter name is first. Without a query the order stays.
 *
 * @param most how many are returned.
 */
export function bestMatches<C extends Candidate>(candidates: readonly C[], query: string, most = MOST): C[] {
  const words = wordsOf(query);
  if (words.length === 0) return candidates.slice(0, most);
  const scored: { readonly candidate: C; readonly score: number }[] = [];
  for (const candidate of candidates) {
    const score = scoreOf(folded(candidate), words);
    if (score > 0) scored.push({ candidate, score });
  }
  scored.sort((a, b) => b.score - a.score || compareNames(a.candidate, b.candidate));
  return scored.slice(0, most).map(({ candidate }) => candidate);
}

/** Returns the candidates that have each word of a query as it is written, in name or detail, in their order. */
export function withWords<C extends Candidate>(candidates: readonly C[], query: string): readonly C[] {
  const words = wordsOf(query);
  if (words.length === 0) return candidates;
  return candidates.filter((candidate) => {
    const { name, detail } = folded(candidate);
    return words.every((word) => name.includes(word) || detail.includes(word));
  });
}

/** Returns whether two names are one: what makes two paths collide. */
export function isSameName(one: string, other: string): boolean {
  return foldPath(one) === foldPath(other);
}

function compareNames(a: Candidate, b: Candidate): number {
  return (
    a.name.length - b.name.length ||
    compareCodePoints(a.name, b.name) ||
    compareCodePoints(a.detail ?? '', b.detail ?? '')
  );
}

/** Returns the sum over the words; 0 if one of them fits nowhere. */
function scoreOf({ name, detail }: FoldedNames, words: readonly string[]): number {
  let sum = 0;
  for (const word of words) {
    const score = Math.max(scoreIn(name, word), scoreIn(detail, word) / 4);
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

function scoreIn(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at === 0) return text.length === word.length ? 120 : 100;
  if (at > 0) return isWordStart(text, word, at) ? 80 : 50;
  return isSpread(text, word) ? 10 : 0;
}

/** Returns whether the word is found at the beginning of a word, also where it is found within one before. */
function isWordStart(text: string, word: string, first: number): boolean {
  for (let at = first; at > 0; at = text.indexOf(word, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return true;
  }
  return false;
}

/** Returns whether all letters of a word are in a text, in order. */
function isSpread(text: string, word: string): boolean {
  let at = -1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}
