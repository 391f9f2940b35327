import { MB } from '@notevault/protocol/values/byte-units.ts';
import { EmbedderError } from './embedder.ts';

export interface HttpEmbedderOptions {
  /** Base URL of `/embeddings`, as OpenAI has it: `https://api.example.org/v1`. */
  readonly url: string;
  readonly model: string;
  /** Sent only as a bearer token; it never appears in a message. */
  readonly key: string | null;
  /** Waits `ms`, or until the signal is aborted; tests replace it. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** A number from 0 to 1, to spread retries. */
  readonly jitter: () => number;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
/** Attempts per request; the waits between them double. */
const ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
/** Maximum wait that a server may ask for; with a longer one the request fails and the caller decides when to retry. */
const LONGEST_WAIT_MS = 10_000;
/** Enough for 64 vectors of 4,096 numbers as text. */
const ANSWER_BYTES_MAX = 32 * MB;

/** One vector for each text, as the server sent it. Retries temporary failures. Throws EmbedderError. */
export async function requestVectors(
  options: HttpEmbedderOptions,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  for (let tried = 1; ; tried++) {
    try {
      return vectorsIn(await requestOnce(options, texts, signal), texts.length);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof EmbedderError) || error.code !== 'unavailable' || tried === ATTEMPTS) throw error;
      const backOff = FIRST_WAIT_MS * 2 ** (tried - 1) * (1 + options.jitter());
      const wait = Math.max(error.retryAfterMs ?? 0, backOff);
      if (wait > LONGEST_WAIT_MS) throw error;
      await options.delay(wait, signal);
    }
  }
}

async function requestOnce(
  options: HttpEmbedderOptions,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<unknown> {
  const { url, model, key, timeoutMs = TIMEOUT_MS } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      // A redirect is not followed, because it would send texts and key to another address.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    if (response.ok) return JSON.parse(await boundedText(response));
    await response.body?.cancel();
    throw errorOf(response, options.now());
  } catch (error) {
    if (error instanceof EmbedderError) throw error;
    if (error instanceof SyntaxError)
      throw new EmbedderError('unusable', 'The embedding server did not answer with JSON.');
    const why = timeout.aborted ? `did not answer within ${timeoutMs} ms` : 'cannot be reached';
    throw new EmbedderError('unavailable', `The embedding server ${why}.`, { cause: error });
  }
}

function errorOf(response: Response, now: number): EmbedderError {
  const { status } = response;
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) {
    const retryAfterMs = retryAfter(response.headers.get('retry-after'), now);
    const options = retryAfterMs === null ? {} : { retryAfterMs };
    return new EmbedderError('unavailable', `The embedding server answered ${status}.`, options);
  }
  if (status === 400 || status === 413 || status === 422) {
    return new EmbedderError('refused', `The embedding server refused the texts (${status}).`);
  }
  const hint = status === 401 || status === 403 ? ': check NOTEVAULT_EMBEDDER_KEY' : ': check NOTEVAULT_EMBEDDER_URL';
  return new EmbedderError('unusable', `The embedding server answered ${status}${hint}.`);
}

/** `Retry-After` (RFC 9110, section 10.2.3) in milliseconds: seconds, or a date. */
function retryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > ANSWER_BYTES_MAX)
      throw new EmbedderError('unusable', 'The answer of the embedding server is too large.');
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** The vectors of an answer, ordered by the text index that each item names. */
function vectorsIn(answer: unknown, count: number): Float32Array[] {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== count) {
    const given = Array.isArray(data) ? `${data.length} vectors` : 'no list of vectors';
    throw new EmbedderError('unusable', `The embedding server returned ${given} for ${count} texts.`);
  }
  const vectors: Float32Array[] = [];
  for (const [place, item] of data.entries()) {
    const { index = place, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    if (typeof index !== 'number' || !(index >= 0 && index < count) || vectors[index] !== undefined) {
      throw new EmbedderError('unusable', 'The embedding server did not return one vector for each text.');
    }
    if (!Array.isArray(embedding) || !embedding.every((value) => typeof value === 'number')) {
      throw new EmbedderError('unusable', 'The embedding server returned vectors with values that are not numbers.');
    }
    vectors[index] = Float32Array.from(embedding);
  }
  return vectors;
}
