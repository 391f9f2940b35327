/** What a query may find: notes in the switcher, commands in the palette. */
export interface Candidate {
  readonly name: string;
  /** Further text that counts less: a folder, synonyms. */
  readonly detail: string;
}

/** Without a query the order stays, and so many are returned. */
const MOST = 50;

/**
 * Returns the candidates that have the letters of a query in order, best first: whole beginnings of the name before
 * beginnings of its words, these before letters that are spread, and the name before the detail.
 */
export function bestMatches<C extends Candidate>(candidates: readonly C[], query: string, most = MOST): C[] {
  const words = query.trim().toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return candidates.slice(0, most);
  const scored: { candidate: C; score: number }[] = [];
  for (const candidate of candidates) {
    const score = scoreOf(candidate, words);
    if (score > 0) scored.push({ candidate, score });
  }
  scored.sort((a, b) => b.score - a.score || a.candidate.name.length - b.candidate.name.length);
  return scored.slice(0, most).map(({ candidate }) => candidate);
}

/** The sum over the words; 0 if one of them fits nowhere. */
function scoreOf({ name, detail }: Candidate, words: readonly string[]): number {
  const [inName, inDetail] = [name.toLocaleLowerCase(), detail.toLocaleLowerCase()];
  let sum = 0;
  for (const word of words) {
    const score = Math.max(scoreIn(inName, word), scoreIn(inDetail, word) / 4);
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

function scoreIn(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at === 0) return text.length === word.length ? 120 : 100;
  if (at > 0) return isWordStart(text, at) ? 80 : 50;
  return isSpread(text, word) ? 10 : 0;
}

function isWordStart(text: string, at: number): boolean {
  return !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '');
}

/** Whether all letters of a word are in a text, in order. */
function isSpread(text: string, word: string): boolean {
  let at = -1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}
