import { type Embedder, type EmbedOptions, normalize, type Passage, type Space } from './embedder.ts';
import { type FeatureKind, featuresOf, KANA, PAIR, PIECE, type Run, runsOf, SINGLE, WORD } from './features.ts';
import { threadedEmbedder } from './threaded.ts';

// Chosen on the golden queries of the tests: with 384 dimensions fewer hold, with 768 hardly more. As these vectors know no
// more than words, they count less beside them.
const DIMENSIONS = 512;
/** Grows whenever equal texts would come to other vectors: those stored before are then made anew. */
const VERSION = 1;
const space: Space = {
  id: `builtin:${VERSION}:${DIMENSIONS}`,
  dimensions: DIMENSIONS,
  maxTokens: 512,
  noise: 0.1,
  trust: 0.3,
};

const WEIGHTS: Record<FeatureKind, number> = { [WORD]: 1, [PIECE]: 0.6, [PAIR]: 1, [SINGLE]: 0.6, [KANA]: 0.2 };
/** A word of the title or a heading counts as if it stood in the text this often. */
const ABOUT_WEIGHT = 20;
/** Passages between two turns of the event loop, about 10 ms. */
const SLICE = 16;

/**
 * Vectors without a model: words and their pieces, each added to or taken from the dimension that its hash names
 * (feature hashing, Weinberger et al. 2009). It knows no meaning, but finds inflected, compounded and misspelt words in
 * any script, needs no download, and gives the same vectors everywhere.
 *
 * Passages carry log tf alone; how rare words are weighs on the query's side, where it can follow the vault.
 */
export function builtinEmbedder(): Embedder {
  return {
    name: 'builtin',
    space: async () => space,
    async embedPassages(passages, signal) {
      const vectors: Float32Array[] = [];
      for (const [index, passage] of passages.entries()) {
        if (index % SLICE === SLICE - 1) await new Promise(setImmediate);
        signal.throwIfAborted();
        vectors.push(passageVector(passage));
      }
      return vectors;
    },
    embedQuery: async (query, options) => {
      options.signal.throwIfAborted();
      return queryVector(query, options);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Features of a text by hash. A hash tells its kind, but for collisions, which change nothing that matters. */
class Features {
  readonly #amounts = new Map<number, number>();
  readonly #kinds = new Map<number, FeatureKind>();

  add(run: Run, combine: (before: number) => number): void {
    featuresOf(run, (hash, kind) => {
      this.#amounts.set(hash, combine(this.#amounts.get(hash) ?? 0));
      this.#kinds.set(hash, kind);
    });
  }

  vector(weigh: (amount: number) => number): Float32Array {
    const vector = new Float32Array(DIMENSIONS);
    for (const [hash, amount] of this.#amounts) {
      const weight = weigh(amount) * WEIGHTS[this.#kinds.get(hash) ?? WORD];
      const at = (hash & 0x7fffffff) % DIMENSIONS;
      vector[at] = (vector[at] ?? 0) + (hash >>> 31 === 0 ? weight : -weight);
    }
    return normalize(vector);
  }
}

function passageVector({ about, text }: Passage): Float32Array {
  const features = new Features();
  for (const run of runsOf(text)) features.add(run, (times) => times + 1);
  for (const run of runsOf(about)) features.add(run, (times) => times + ABOUT_WEIGHT);
  return features.vector(Math.log1p);
}

async function queryVector(query: string, { idf }: EmbedOptions): Promise<Float32Array> {
  const words = [...runsOf(query)].flatMap(wordsOf);
  const rarities = await idf(words.map(({ text }) => text));
  const features = new Features();
  words.forEach((word, index) => {
    features.add(word, (before) => Math.max(before, rarities[index] ?? 0));
  });
  return features.vector((amount) => amount);
}

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

/** Rarity is known of words: a run of a script without spaces is cut into its words, other runs are one. */
function wordsOf(run: Run): Run[] {
  if (!run.unspaced) return [run];
  return [...segmenter.segment(run.text)].map(({ segment }) => ({ text: segment, unspaced: true }));
}

/** As builtinEmbedder, with passages in a thread of their own; a query takes less time than asking one. */
export function threadedBuiltin(): Embedder {
  const here = builtinEmbedder();
  const there = threadedEmbedder(here.name, { kind: 'builtin' });
  return {
    ...here,
    embedPassages: (passages, signal) => there.embedPassages(passages, signal),
    [Symbol.asyncDispose]: () => there[Symbol.asyncDispose](),
  };
}
