import { MB } from '@notevault/protocol/values/byte-units.ts';

/**
 * The most bytes of an answer, after decompression; a server that sends more is broken or hostile. A list of a whole vault
 * names a million notes in so many.
 */
export const ANSWER_BYTES_MAX = 256 * MB;
/** Parsed, a value takes tens of bytes of memory, even an empty list; in our answers it has more bytes than this. */
const BYTES_PER_VALUE = 16;

/**
 * Reads the JSON of an answer; undefined for an empty one. The message of an error says what the server did: sent too much
 * or no JSON, or broke the connection.
 */
export async function answerJson(answer: Response, bytesMax = ANSWER_BYTES_MAX): Promise<unknown> {
  const text = await textOf(answer, bytesMax);
  const valuesMax = bytesMax / BYTES_PER_VALUE;
  if (text.length > valuesMax && valuesIn(text) > valuesMax) throw new RangeError('sent too many values in one answer');
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError('sent no JSON');
  }
}

async function textOf({ body }: Response, bytesMax: number): Promise<string> {
  let left = bytesMax;
  const transform = (chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) => {
    left -= chunk.length;
    // Cancels the body, too.
    if (left < 0) throw new RangeError(`sent more than ${bytesMax / MB} MB in one answer`);
    controller.enqueue(chunk);
  };
  try {
    return await new Response(body?.pipeThrough(new TransformStream({ transform }))).text();
  } catch (cause) {
    throw cause instanceof RangeError ? cause : new Error('broke the connection', { cause });
  }
}

/** Says where a server redirects, as a part of a sentence. */
export function elsewhere(answer: Response): string {
  try {
    const { origin } = new URL(answer.headers.get('location') ?? '', answer.url || undefined);
    return `to ${origin}: use that address`;
  } catch {
    return 'elsewhere: use its own address';
  }
}

/** Counts lists, objects, and values separated by commas. */
function valuesIn(text: string): number {
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === ',' || character === '[' || character === '{') count += 1;
  }
  return count;
}

/** Returns the position of the quote that ends a string, or the end of the text. */
function endOfString(text: string, from: number): number {
  for (let at = from; ; ) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let unescaped = at;
    while (text[unescaped - 1] === '\\') unescaped -= 1;
    if ((at - unescaped) % 2 === 0) return at;
  }
}
