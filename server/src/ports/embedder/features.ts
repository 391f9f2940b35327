/** The kinds of features; each has its own weight. */
export const WORD = 0;
/** Three or four letters of a word, ends included, so that inflected, compounded and misspelt words share features. */
export const PIECE = 1;
/** Two consecutive characters of a script without spaces. */
export const PAIR = 2;
/** One ideograph. */
export const SINGLE = 3;
/** Two letters of hiragana, which are usually grammar. */
export const KANA = 4;
export type FeatureKind = typeof WORD | typeof PIECE | typeof PAIR | typeof SINGLE | typeof KANA;

export interface Run {
  readonly text: string;
  /** Whether it is of a script without spaces between words; such a run may be many words. */
  readonly unspaced: boolean;
}

const scripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const unspaced = `[${scripts.map((script) => `\\p{sc=${script}}`).join('')}ー]`;
const RUN = new RegExp(`(${unspaced}+)|[[\\p{L}\\p{M}\\p{N}]--${unspaced}]+`, 'gv');
const FIRST_IDEOGRAPH = 0x3400;
const LAST_HIRAGANA = 0x309f;
const PIECE_SIZES = [3, 4];

/** Folded runs of letters: without case, width and accents, but with the marks of kana, which make other letters. */
export function* runsOf(text: string): Generator<Run> {
  const folded = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .toLowerCase();
  for (const match of folded.matchAll(RUN)) yield { text: match[0], unspaced: match[1] !== undefined };
}

/** Calls `sink` with each feature of a run, as a 32-bit hash. */
export function featuresOf(run: Run, sink: (hash: number, kind: FeatureKind) => void): void {
  if (run.unspaced) unspacedFeatures(run.text, sink);
  else {
    sink(hash(run.text, 0, run.text.length, WORD), WORD);
    const framed = `<${run.text}>`;
    for (const size of PIECE_SIZES) {
      for (let at = 0; at + size <= framed.length; at++) sink(hash(framed, at, at + size, PIECE), PIECE);
    }
  }
}

function unspacedFeatures(text: string, sink: (hash: number, kind: FeatureKind) => void): void {
  for (let at = 0; at < text.length; at++) {
    const isIdeograph = text.charCodeAt(at) >= FIRST_IDEOGRAPH;
    if (isIdeograph) sink(hash(text, at, at + 1, SINGLE), SINGLE);
    if (at + 1 >= text.length) continue;
    const isKana = text.charCodeAt(at) <= LAST_HIRAGANA && text.charCodeAt(at + 1) <= LAST_HIRAGANA;
    sink(hash(text, at, at + 2, PAIR), isKana ? KANA : PAIR);
  }
}

/** FNV-1a over UTF-16 units, with the bit mixing of MurmurHash3: vectors use the highest and the lowest bits. */
function hash(text: string, from: number, to: number, salt: number): number {
  let mixed = 0x811c9dc5 ^ salt;
  for (let at = from; at < to; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
