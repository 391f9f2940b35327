/**
 * Turns texts into vectors whose dot product measures how similar their meanings are. Only vectors of one space can be
 * compared; those of two models cannot, whatever their length.
 */
export interface Embedder extends AsyncDisposable {
  /** Its name in `GET /search/status`. */
  readonly name: string;
  /** Whether a vault gets vectors only once a request asks for them, because the default search gains nothing by them. */
  readonly onDemand: boolean;
  /**
   * Returns the space of its vectors. An adapter may first have to load its model or ask a server. The result never
   * changes while the process runs. Throws EmbedderError.
   */
  space(signal: AbortSignal): Promise<Space>;
  /**
   * Returns a vector for each passage, in order. A passage longer than the space's `maxTokens` is embedded whole or in
   * parts, never truncated. Throws EmbedderError, with `refused` when these passages are the cause; throws the signal's
   * reason when it is aborted.
   */
  embedPassages(passages: readonly Passage[], signal: AbortSignal): Promise<Float32Array[]>;
  /** The dot product with a passage's vector grows with their similarity. Throws like `embedPassages`. */
  embedQuery(query: string, options: EmbedOptions): Promise<Float32Array>;
}

/** A piece of a text, with the title and headings above it. */
export interface Passage {
  readonly about: string;
  readonly text: string;
}

export interface EmbedOptions {
  readonly signal: AbortSignal;
  /** The idf of each word in the searched vault: 0 for no weight, 1 for a word in half of the texts. */
  readonly idf: (words: readonly string[]) => Promise<readonly number[]>;
}

export interface Space {
  /** Names the model and the kind of its vectors. Vectors with equal ids can be compared. */
  readonly id: string;
  readonly dimensions: number;
  /** About how many tokens a passage should have at most. */
  readonly maxTokens: number;
  /** Cosines up to this value occur by chance; null where that is measured among the notes of a vault. */
  readonly noise: number | null;
  /** Weight of a score by these vectors; a score by words has weight 1. */
  readonly trust: number;
}

/** The `trust` of a sentence model. Tuned on the golden set, see docs/search.md. */
export const MODEL_TRUST = 0.2;

/**
 * - `unavailable`: not now; the same call may succeed after `retryAfterMs` (null: the caller decides when).
 * - `refused`: these texts cannot be embedded; others may.
 * - `unusable`: the model or server is misconfigured; nothing can be embedded until the operator fixes it.
 */
export type EmbedderErrorCode = 'unavailable' | 'refused' | 'unusable';

export class EmbedderError extends Error {
  override readonly name = 'EmbedderError';
  readonly code: EmbedderErrorCode;
  readonly retryAfterMs: number | null;
  /** @param message a sentence for the operator, which never contains a text or a key. */
  constructor(code: EmbedderErrorCode, message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** Scales a vector to length 1, in place; a zero vector is left unchanged. */
export function normalize(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}

/** Normalises the vectors; throws `unusable` unless they are `count` vectors of `dimensions` finite numbers. */
export function checkVectors(vectors: readonly Float32Array[], count: number, dimensions: number): Float32Array[] {
  if (vectors.length !== count) {
    throw new EmbedderError('unusable', `The model returned ${vectors.length} vectors for ${count} texts.`);
  }
  return vectors.map((vector) => {
    if (vector.length !== dimensions) {
      throw new EmbedderError(
        'unusable',
        `The model returned a vector of ${vector.length} dimensions instead of ${dimensions}.`,
      );
    }
    if (!vector.every(Number.isFinite))
      throw new EmbedderError('unusable', 'The model returned vectors with values that are not numbers.');
    return normalize(vector);
  });
}
