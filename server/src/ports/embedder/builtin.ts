import type { Clock } from '../clock/clock.ts';
import { type Embedder, type EmbedOptions, normalize, type Passage, type Space } from './embedder.ts';
import { type FeatureKind, featuresOf, KANA, PAIR, PIECE, type Run, runsOf, SINGLE, WORD } from './features.ts';
import { ThreadedEmbedder } from './threaded.ts';

// Chosen with the golden queries of the tests: 384 dimensions answer fewer, 768 hardly more. These vectors know nothing
// beyond words, so in hybrid mode they only add notes that no word finds.
const DIMENSIONS = 512;
/** Must be increased when equal texts would get other vectors; stored vectors are then made again. */
const VERSION = 1;
const space: Space = {
  id: `builtin:${VERSION}:${DIMENSIONS}`,
  dimensions: DIMENSIONS,
  maxTokens: 512,
  noise: 0.1,
  trust: 0,
};

const WEIGHTS: Record<FeatureKind, number> = { [WORD]: 1, [PIECE]: 0.6, [PAIR]: 1, [SINGLE]: 0.6, [KANA]: 0.2 };
/** A word of the title or a heading counts as if it occurred in the text this often. */
const ABOUT_WEIGHT = 20;
/** Words of a query that count: the rarity of each is looked up. */
const QUERY_WORDS_MAX = 64;
/** Passages between two turns of the event loop, about 10 ms of work. */
const SLICE = 16;

/**
 * Makes vectors without a model. Each word, and each piece of a word, is added to or subtracted from the dimension that
 * its hash selects (feature hashing, Weinberger et al. 2009). The vectors know no meaning, but find inflected,
 * compounded and misspelt words in any script, need no download and are the same everywhere.
 *
 * Passages contain only log tf; the idf is applied to the query, where it can follow the vault.
 */
export function builtinEmbedder(): Embedder {
  return {
    name: 'builtin',
    onDemand: true,
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

interface Feature {
  kind: FeatureKind;
  amount: number;
  /** When it occurred last: of two features with one hash, the later one gives it its kind. */
  time: number;
}
/** The features of a text by hash, in the order in which they were added; collisions are rare enough not to matter. */
type Features = Map<number, Feature>;

/** Returns a feature; a new one is added with the amount 0. */
function featureOf(features: Features, hash: number, kind: FeatureKind, time: number): Feature {
  const feature = features.get(hash) ?? { kind, amount: 0, time };
  features.set(hash, feature);
  if (time >= feature.time) Object.assign(feature, { kind, time });
  return feature;
}

function vectorOf(features: Features, weigh: (amount: number) => number): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const [hash, { kind, amount }] of features) {
    const weight = weigh(amount) * WEIGHTS[kind];
    const at = (hash & 0x7fffffff) % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + (hash >>> 31 === 0 ? weight : -weight);
  }
  return normalize(vector);
}

function passageVector({ about, text }: Passage): Float32Array {
  const features: Features = new Map();
  const runs = addRuns(features, text, 1, 0);
  addRuns(features, about, ABOUT_WEIGHT, runs);
  return vectorOf(features, Math.log1p);
}

/** Adds the features of a text, after `before` runs, and repeated runs together. Returns the number of runs so far. */
function addRuns(features: Features, text: string, weight: number, before: number): number {
  const runs = new Map<string, { readonly run: Run; times: number; last: number }>();
  let last = before;
  for (const run of runsOf(text)) {
    last += 1;
    const known = runs.get(run.text);
    if (known === undefined) runs.set(run.text, { run, times: 1, last });
    else {
      known.times += 1;
      known.last = last;
    }
  }
  for (const { run, times, last: time } of runs.values()) {
    featuresOf(run, (hash, kind) => {
      featureOf(features, hash, kind, time).amount += times * weight;
    });
  }
  return last;
}

async function queryVector(query: string, { idf }: EmbedOptions): Promise<Float32Array> {
  const words = [...runsOf(query)].flatMap(wordsOf).slice(0, QUERY_WORDS_MAX);
  const rarities = await idf(words.map(({ text }) => text));
  const features: Features = new Map();
  words.forEach((word, index) => {
    featuresOf(word, (hash, kind) => {
      const feature = featureOf(features, hash, kind, index);
      feature.amount = Math.max(feature.amount, rarities[index] ?? 0);
    });
  });
  return vectorOf(features, (amount) => amount);
}

/** Made when it is first needed: it reads its dictionaries then, which takes 25 ms. */
let segmenter: Intl.Segmenter | undefined;

/** The words whose idf is known: a run of a script without spaces is cut into words, other runs are one word. */
function wordsOf(run: Run): Run[] {
  if (!run.unspaced) return [run];
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' });
  return [...segmenter.segment(run.text)].map(({ segment }) => ({ text: segment, unspaced: true }));
}

/** Passages are embedded on a worker thread; a query here, in less time than a message to the thread takes. */
export function threadedBuiltin(clock: Pick<Clock, 'schedule'>): Embedder {
  const here = builtinEmbedder();
  const there = new ThreadedEmbedder(here.name, { kind: 'builtin' }, clock);
  return {
    ...here,
    embedPassages: (passages, signal) => there.embedPassages(passages, signal),
    [Symbol.asyncDispose]: () => there[Symbol.asyncDispose](),
  };
}
