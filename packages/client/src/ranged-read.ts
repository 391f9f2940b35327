import { MB } from '@notevault/protocol/values/byte-units.ts';
import { ConnectionError, encodedPath, type Transport } from './transport.ts';

/** Computes SHA-256 of bytes that are added piece by piece. */
export interface RunningHash {
  add(bytes: Uint8Array): void;
  /** Returns the hash in lower-case hex. */
  end(): string | Promise<string>;
}

export interface RangedOptions {
  /** The bytes of one request. */
  readonly rangeBytes?: number;
  /** Offset to resume at, and the attachment's hash at the time of the first part. */
  readonly from?: { readonly offset: number; readonly hash: string };
  /** Verifies the bytes at the end. Those before `from` must have been added. */
  readonly hashing?: RunningHash;
  readonly signal?: AbortSignal;
}

/** An attachment that is read range by range. */
export interface RangedBytes {
  readonly mimeType: string;
  /** SHA-256 of all bytes, lower-case hex. */
  readonly hash: string;
  /** The number of all bytes. */
  readonly size: number;
  /**
   * The bytes from where it begins, each range requested when the one before was taken. Throws ConnectionError, also
   * when the attachment is replaced meanwhile or the bytes are not those of the hash: what has come before the error is
   * of this attachment, unless the hash is wrong.
   */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export const RANGE_BYTES = 4 * MB;
const [PARTIAL, NOT_FOUND, UNSATISFIABLE] = [206, 404, 416];

/**
 * Opens an attachment to read it in ranges. Null when there is none at the path, or another one than `from` says. No
 * more than a range is in memory. Throws ApiError, ConnectionError.
 */
export async function readInRanges(
  transport: Transport,
  vault: string,
  path: string,
  options: RangedOptions = {},
): Promise<RangedBytes | null> {
  const { rangeBytes = RANGE_BYTES, from, hashing, signal } = options;
  const ask = (at: number) =>
    transport.send(
      {
        method: 'GET',
        path: `/attachments/${encodedPath(path)}`,
        query: { raw: 1 },
        vault,
        headers: { range: `bytes=${at}-${at + rangeBytes - 1}` },
        ...(signal && { signal }),
      },
      [NOT_FOUND, UNSATISFIABLE],
    );
  const offset = from?.offset ?? 0;
  const first = await ask(offset);
  if (first.status !== PARTIAL) return emptyOrNone(first, transport, { offset, hashing });
  const { hash, size } = partOf(first, transport, offset);
  if (from !== undefined && from.hash !== hash) {
    await first.body?.cancel();
    return null;
  }
  const mimeType = first.headers.get('content-type')?.split(';', 1)[0] ?? 'application/octet-stream';
  async function* bytes() {
    let answer = first;
    for (let at = offset; ; ) {
      const piece = new Uint8Array(await whole(answer, transport));
      hashing?.add(piece);
      at += piece.length;
      yield piece;
      if (at >= size) break;
      answer = await ask(at);
      const next = answer.status === PARTIAL ? partOf(answer, transport, at) : null;
      if (next?.hash !== hash || next.size !== size || piece.length === 0) {
        await answer.body?.cancel();
        throw new ConnectionError(`${transport.origin} has another file at the path now`);
      }
    }
    const found = await hashing?.end();
    if (found !== undefined && found !== hash) throw new ConnectionError(`${transport.origin} sent other bytes`);
  }
  return { mimeType, hash, size, bytes: bytes() };
}

/** Returns the result for a file that answered no range: null if it does not exist, else an empty file. */
async function emptyOrNone(
  answer: Response,
  transport: Transport,
  { offset, hashing }: { readonly offset: number; readonly hashing: RunningHash | undefined },
): Promise<RangedBytes | null> {
  await answer.body?.cancel();
  if (answer.status === NOT_FOUND) return null;
  const size = Number(/\/(\d+)$/.exec(answer.headers.get('content-range') ?? '')?.[1] ?? Number.NaN);
  if (answer.status !== UNSATISFIABLE) throw new ConnectionError(`${transport.origin} sends no ranges`);
  if (size !== 0 || offset !== 0) return null;
  const hash = (await hashing?.end()) ?? NO_BYTES;
  return { mimeType: 'application/octet-stream', hash, size, bytes: nothing() };
}

const NO_BYTES = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

async function* nothing(): AsyncGenerator<Uint8Array> {}

function partOf({ headers }: Response, transport: Transport, at: number): { hash: string; size: number } {
  const [, start, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
  const hash = /^"([0-9a-f]{64})"$/.exec(headers.get('etag') ?? '')?.[1];
  if (hash === undefined || size === undefined || Number(start) !== at) {
    throw new ConnectionError(`${transport.origin} does not say which part it sends`);
  }
  return { hash, size: Number(size) };
}

async function whole(answer: Response, { origin }: Transport): Promise<ArrayBuffer> {
  return answer.arrayBuffer().catch((cause: unknown) => {
    throw new ConnectionError(`${origin} broke off a download`, { cause });
  });
}
