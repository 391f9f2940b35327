import { slicesBySize } from '../../concurrency/slices.ts';
import {
  checkVectors,
  type Embedder,
  EmbedderError,
  type EmbedOptions,
  MODEL_TRUST,
  type Passage,
  type Space,
} from './embedder.ts';
import { type HttpEmbedderOptions, requestVectors } from './http-client.ts';

/** Keeps a request within what servers accept at once; the size is in characters. */
const BATCH = { count: 64, bytes: 200_000 };
/** Maximum tokens of a text; models of this kind accept as many or more. */
const MAX_TOKENS = 512;

/** Vectors of a server with OpenAI's embeddings API. Requests are sent one after another, so it is never flooded. */
export function httpEmbedder(options: HttpEmbedderOptions): Embedder {
  const { model } = options;
  let known: Promise<Space> | null = null;

  async function probe(signal: AbortSignal): Promise<Space> {
    const [vector] = await requestVectors(options, ['dimensions'], signal);
    const dimensions = vector?.length ?? 0;
    if (dimensions === 0) throw new EmbedderError('unusable', 'The embedding server returned an empty vector.');
    return { id: `http:${model}:${dimensions}`, dimensions, maxTokens: MAX_TOKENS, noise: null, trust: MODEL_TRUST };
  }

  /** Requested once for all callers; after a failure the next call requests it again. */
  function space(signal: AbortSignal): Promise<Space> {
    known ??= probe(signal).catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  }

  async function embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    const { dimensions } = await space(signal);
    const vectors: Float32Array[] = [];
    for (const batch of slicesBySize(texts, BATCH, (text) => text.length)) {
      signal.throwIfAborted();
      vectors.push(...checkVectors(await requestVectors(options, batch, signal), batch.length, dimensions));
    }
    return vectors;
  }

  return {
    name: model,
    onDemand: false,
    space,
    async embedPassages(passages: readonly Passage[], signal) {
      signal.throwIfAborted();
      return embed(passages.map(textOf), signal);
    },
    async embedQuery(query: string, { signal }: EmbedOptions) {
      const [vector] = await embed([sendable(query)], signal);
      return vector as Float32Array;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function textOf({ about, text }: Passage): string {
  return sendable(about === '' ? text : `${about}\n\n${text}`);
}

/** Replaces what servers refuse: empty texts, and ill-formed ones. */
function sendable(text: string): string {
  const clean = text.toWellFormed().replaceAll('\0', ' ');
  return clean.trim() === '' ? '-' : clean;
}
