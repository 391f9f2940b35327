/**
 * Turns texts into vectors whose dot product says how near their meanings are. Vectors of one space can be compared;
 * those of two models cannot, whatever their length.
 */
export interface Embedder extends AsyncDisposable {
  /** What it is called in `GET /search/status`. */
  readonly name: string;
  /**
   * What its vectors are like. An adapter may first have to load its model or to ask a server. The answer never changes
   * while the process runs. Throws EmbedderError.
   */
  space(signal: AbortSignal): Promise<Space>;
  /**
   * A vector for each passage, in order; none: none. A passage longer than the space's `maxTokens` is embedded whole or in
   * parts, never cut off. Throws EmbedderError, `refused` when it is about these passages; the signal's reason once that
   * is aborted.
   */
  embedPassages(passages: readonly Passage[], signal: AbortSignal): Promise<Float32Array[]>;
  /** The vector to look for: its dot product with a passage's vector grows with their likeness. Throws as above. */
  embedQuery(query: string, options: EmbedOptions): Promise<Float32Array>;
}

/** A piece of a text, and under what it stands: title and headings. */
export interface Passage {
  readonly about: string;
  readonly text: string;
}

export interface EmbedOptions {
  readonly signal: AbortSignal;
  /** How much each of some words tells where the query is asked: 0 nothing, 1 a word half of the texts have, more if rare. */
  readonly idf: (words: readonly string[]) => Promise<readonly number[]>;
}

export interface Space {
  /** Names model and kind of vectors: equal ids, comparable vectors. */
  readonly id: string;
  readonly dimensions: number;
  /** About how many tokens a passage should have at most. */
  readonly maxTokens: number;
  /** Cosines up to this come about by chance. */
  readonly noise: number;
  /** What a ranking by these vectors counts beside one by words, which counts 1. */
  readonly trust: number;
}

/**
 * - `unavailable`: not now; the same call may succeed after `retryAfterMs` (null: the caller's own pace).
 * - `refused`: these texts cannot be embedded; others may.
 * - `unusable`: model or server are not what they should be; nothing can be embedded until somebody mends that.
 */
export type EmbedderErrorCode = 'unavailable' | 'refused' | 'unusable';

export class EmbedderError extends Error {
  override readonly name = 'EmbedderError';
  readonly code: EmbedderErrorCode;
  readonly retryAfterMs: number | null;
  /** @param message a sentence for the operator: never a text, never a key. */
  constructor(code: EmbedderErrorCode, message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** Scales a vector to length 1, in place; one of zeros stays so. */
export function normalize(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}

/** The vectors, normalised; throws `unusable` unless they are `count` of `dimensions` finite numbers. */
export function checkVectors(vectors: readonly Float32Array[], count: number, dimensions: number): Float32Array[] {
  if (vectors.length !== count) {
    throw new EmbedderError('unusable', `The model gave ${vectors.length} vectors for ${count} texts.`);
  }
  return vectors.map((vector) => {
    if (vector.length !== dimensions) {
      throw new EmbedderError('unusable', `The model gave ${vector.length} dimensions where it has ${dimensions}.`);
    }
    if (!vector.every(Number.isFinite))
      throw new EmbedderError('unusable', 'The model gave vectors that are no numbers.');
    return normalize(vector);
  });
}
