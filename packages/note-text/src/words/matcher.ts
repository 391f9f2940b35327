import { eachWord, foldedWord, segmentable, type VisitWord } from '../words.ts';
import { classAt, isUnspaced, MARK, UNSPACED } from './classes.ts';
import { lowerUnit } from './fold.ts';
import { eachRun, segmentsOf } from './runs.ts';
import { simplified } from './simplified.ts';

/**
 * Finds given words in texts, exactly where `eachWord` would report them. It is faster than `eachWord`: most words of a
 * text begin with another letter and are skipped, and the dictionary is used only where one of its scripts occurs.
 *
 * @param words folded words to find
 */
export class WordMatcher {
  readonly #words: ReadonlySet<string>;
  /** First units of the words, and for scripts without spaces the words that begin with each. */
  readonly #firsts = new Set<number>();
  readonly #unspaced = new Map<number, string[]>();

  constructor(words: ReadonlySet<string>) {
    this.#words = words;
    for (const word of words) {
      const first = word.charCodeAt(0);
      this.#firsts.add(first);
      if (!isUnspaced(word)) continue;
      const same = this.#unspaced.get(first);
      if (same === undefined) this.#unspaced.set(first, [word]);
      else same.push(word);
    }
  }

  /** Calls `visit` for each of the words in a text, in order. */
  each(text: string, visit: VisitWord): void {
    if (this.#words.size === 0) return;
    eachRun(text, 0, text.length, {
      word: (start, end) => {
        if (!this.#canStart(text, start, end)) return;
        const word = foldedWord(text.slice(start, end));
        if (this.#words.has(word)) visit(word, start, end);
      },
      stretch: (start, end) => this.#inStretch(text, start, end, visit),
    });
  }

  #canStart(text: string, start: number, end: number): boolean {
    const first = lowerUnit(text.charCodeAt(start));
    // Folding may change other characters in any way, and also one that has a mark.
    if (first < 0 || (start + 1 < end && classAt(text, start + 1) === MARK)) return true;
    return this.#firsts.has(first);
  }

  #inStretch(text: string, start: number, end: number, visit: VisitWord): void {
    const stretch = text.slice(start, end);
    // Of the same length, so its offsets are those of the text.
    const simple = simplified(stretch);
    if (!isPlain(simple)) {
      const all: VisitWord = (word, from, to) => {
        if (this.#words.has(word)) visit(word, from, to);
      };
      eachWord(text, all, start, end);
      return;
    }
    let segments: Intl.Segments | undefined;
    for (let at = 0; at < simple.length; at++) {
      const words = this.#unspaced.get(simple.charCodeAt(at));
      if (words === undefined || !words.some((word) => simple.startsWith(word, at))) continue;
      segments ??= segmentsOf(segmentable(stretch));
      const found = segments.containing(at);
      if (found === undefined || found.index !== at) continue;
      const word = foldedWord(found.segment);
      if (this.#words.has(word)) visit(word, start + at, start + at + found.segment.length);
    }
  }
}

/** Returns whether folding leaves every word of a stretch in simplified characters as it is. */
function isPlain(stretch: string): boolean {
  for (let at = 0; at < stretch.length; at++) {
    const kind = classAt(stretch, at);
    if (kind === MARK || (kind === UNSPACED && lowerUnit(stretch.charCodeAt(at)) < 0)) return false;
  }
  return true;
}
