import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { FairSemaphore } from '../../concurrency/semaphore.ts';
import { currentHangUp, currentTenant } from '../../concurrency/tenant.ts';
import { COMPRESSIONS } from '../../config/limits.ts';

/** The content coding of an answer (RFC 9110, section 8.4). */
export type Coding = 'br' | 'gzip' | 'identity';

/** The better ones first, for clients to which all are equal. */
const CODINGS = ['br', 'gzip', 'identity'] as const satisfies Coding[];
/** A shorter answer fits into a packet as it is. */
const LEAST_BYTES = 1024;
const CHUNK_BYTES = 64 * 1024;
const BROTLI_QUALITY = 4;
/** A window of 256 KB: a wider one saves two bytes in a hundred, and takes megabytes for each answer. */
const BROTLI_WINDOW_BITS = 18;
/** Admission limits the waiting ones. */
const turns = new FairSemaphore(COMPRESSIONS);

/** The methods of negotiator that its types lack. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

/** @param header `Accept-Encoding`. */
export function preferredCoding(header: string | undefined): Coding {
  if (header === undefined) return 'identity';
  const negotiator: EncodingNegotiator = new Negotiator({ headers: { 'accept-encoding': header } });
  const preferred = negotiator.encoding(CODINGS, { preferred: CODINGS });
  return CODINGS.find((coding) => coding === preferred) ?? 'identity';
}

/** The tag of an answer in a coding: strong tags differ where the bytes do (RFC 9110, section 8.8.1). */
export function codedTag(tag: string, coding: Coding): string {
  return coding === 'identity' ? tag : `${tag}-${coding}`;
}

/** The tags of an answer in all codings, that of `preferred` first. */
export function codedTags(tag: string, preferred: Coding = 'identity'): readonly string[] {
  return [preferred, ...CODINGS].map((coding) => codedTag(tag, coding));
}

/** Compresses an answer on other threads; null when it is sent as it is. */
export async function compressed(answer: string | readonly Buffer[], coding: Coding): Promise<Buffer[] | null> {
  if (coding === 'identity') return null;
  const pieces = typeof answer === 'string' ? [Buffer.from(answer)] : answer;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= LEAST_BYTES) return null;
  const work = () => pipeline(pieces, compressorFor(coding, length), (output) => Array.fromAsync<Buffer>(output));
  return turns.run(currentTenant(), work, 1, currentHangUp());
}

function compressorFor(coding: 'br' | 'gzip', length: number) {
  if (coding === 'gzip') return createGzip({ chunkSize: CHUNK_BYTES });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: length,
  };
  return createBrotliCompress({ chunkSize: CHUNK_BYTES, params });
}
