import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject } from 'node:crypto';
import type { ByteRange } from '../blobs/blobs.ts';
import { countStreamed, freeBuffer, withSpaceFor } from '../gc/gc.ts';
import {
  KeyringError,
  type SealContext,
  type SealedReader,
  type SealingKey,
  STREAM_CHUNK_BYTES,
  STREAM_HEADER_BYTES,
  STREAM_TAG_BYTES,
  sealedSize,
} from './keyring.ts';

const STREAM = 3;
const SALT_BYTES = 32;
const SEALED_CHUNK_BYTES = STREAM_CHUNK_BYTES + STREAM_TAG_BYTES;
/** Four chunks are passed on at once: handing a piece to the thread that writes it costs as much as hashing 64 KB. */
const SEALED_TOGETHER_BYTES = STREAM_HEADER_BYTES + 4 * SEALED_CHUNK_BYTES;

/**
 * Seals and opens streams of an owner. A sealed stream is: format (1 byte), key generation (4 bytes, big endian), salt
 * (32), then chunks of AES-256-GCM, each ciphertext and tag. It is the STREAM construction (Hoang, Reyhanitabar,
 * Rogaway, Vizár: Online Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance, 2015): the nonce of a chunk is
 * its number and whether it is the last one.
 *
 * The stream's key is HKDF-SHA-256 of the generation's subkey, the salt, and what the stream is bound to (format,
 * generation, owner, context). It seals nothing else, so numbers can be nonces, and no chunk opens in another stream.
 *
 * @param keyOf returns the subkey of a generation, used only for this.
 */
export function streamSealing(
  keyOf: (generation: number) => KeyObject,
  ownerName: string,
  generation: number,
  random: (bytes: number) => Buffer,
): Pick<SealingKey, 'sealStream' | 'openStream'> {
  const streamKey: StreamKey = (header, context) => {
    const bound = `notevault stream ${header.toString('hex', 0, 5)}\0${ownerName}\0${context.kind}\0${context.row}\0${context.version}`;
    return Buffer.from(hkdfSync('sha256', keyOf(header.readUInt32BE(1)), header.subarray(5), bound, 32));
  };
  const newHeader = () => {
    const header = Buffer.alloc(STREAM_HEADER_BYTES);
    header.writeUInt8(STREAM, 0);
    header.writeUInt32BE(generation, 1);
    random(SALT_BYTES).copy(header, 5);
    return header;
  };
  return {
    sealStream(context, plain) {
      const header = newHeader();
      return sealChunks(header, streamKey(header, context), plain);
    },
    openStream: (context, size, range, read) => begun(openChunks(streamKey, context, size, range, read)),
  };
}

/** Derives the key of a stream from its header and from what it is bound to. */
type StreamKey = (header: Buffer, context: SealContext) => Buffer;

async function* sealChunks(header: Buffer, key: Buffer, plain: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Buffer = Buffer.alloc(0);
  let filled = 0;
  let sealed = header;
  let sealedBytes = header.length;
  let number = 0;
  const seal = (isLast: boolean) => {
    const bytes = filled + STREAM_TAG_BYTES;
    sealed = withSpaceFor(sealed, sealedBytes + bytes, SEALED_TOGETHER_BYTES);
    sealChunk(key, number++, isLast, held.subarray(0, filled), sealed.subarray(sealedBytes));
    sealedBytes += bytes;
    filled = 0;
  };
  for await (const piece of plain) {
    countStreamed(piece.length);
    for (let at = 0; at < piece.length; ) {
      // A full chunk is held back until more bytes arrive, because only then it is known not to be the last.
      if (filled === STREAM_CHUNK_BYTES) {
        seal(false);
        if (sealedBytes + SEALED_CHUNK_BYTES > SEALED_TOGETHER_BYTES) {
          yield sealed.subarray(0, sealedBytes);
          sealedBytes = 0;
        }
      }
      const part = piece.subarray(at, at + STREAM_CHUNK_BYTES - filled);
      held = withSpaceFor(held, filled + part.length, STREAM_CHUNK_BYTES);
      held.set(part, filled);
      filled += part.length;
      at += part.length;
    }
  }
  seal(true);
  yield sealed.subarray(0, sealedBytes);
}

async function* openChunks(
  streamKey: StreamKey,
  context: SealContext,
  size: number,
  range: ByteRange,
  read: SealedReader,
): AsyncGenerator<Uint8Array> {
  const start = Math.max(0, range.start);
  const end = Math.min(size, range.end);
  if (start >= end && size > 0) return;
  const first = Math.floor(start / STREAM_CHUNK_BYTES);
  const last = Math.floor(Math.max(0, end - 1) / STREAM_CHUNK_BYTES);
  const lastOfAll = Math.max(0, Math.ceil(size / STREAM_CHUNK_BYTES) - 1);
  const chunkAt = (number: number) => Math.min(sealedSize(size), STREAM_HEADER_BYTES + number * SEALED_CHUNK_BYTES);

  let bytes = await SealedBytes.of(context, read, 0, first === 0 ? chunkAt(last + 1) : STREAM_HEADER_BYTES);
  try {
    const key = streamKey(await bytes.header(), context);
    if (first > 0) {
      await bytes.close();
      bytes = await SealedBytes.of(context, read, chunkAt(first), chunkAt(last + 1));
    }
    for (let number = first; number <= last; number++) {
      const plain = await bytes.chunk(key, number, number === lastOfAll, chunkAt(number + 1) - chunkAt(number));
      const offset = number * STREAM_CHUNK_BYTES;
      const wanted = plain.subarray(Math.max(0, start - offset), end - offset);
      countStreamed(plain.length);
      if (wanted.length > 0) yield wanted;
    }
  } finally {
    await bytes.close();
  }
}

function sealChunk(key: Buffer, number: number, isLast: boolean, plain: Buffer, into: Buffer): void {
  const cipher = createCipheriv('aes-256-gcm', key, nonce(number, isLast));
  const body = cipher.update(plain);
  cipher.final();
  into.set(body);
  into.set(cipher.getAuthTag(), body.length);
  freeBuffer(body);
}

/** Splits the sealed bytes of one range as they arrive. */
class SealedBytes {
  readonly #context: SealContext;
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #started: Buffer;
  #rest: Uint8Array = new Uint8Array();

  private constructor(context: SealContext, source: AsyncIterator<Uint8Array>, bytes: number) {
    this.#context = context;
    this.#source = source;
    this.#started = Buffer.alloc(Math.min(SEALED_CHUNK_BYTES, bytes));
  }

  static async of(context: SealContext, read: SealedReader, start: number, end: number): Promise<SealedBytes> {
    const found = await read({ start, end });
    if (found === null) throw damaged(context, 'nothing is there');
    return new SealedBytes(context, found[Symbol.asyncIterator](), end - start);
  }

  async header(): Promise<Buffer> {
    const header = Buffer.from(await this.#read(STREAM_HEADER_BYTES));
    if (header.readUInt8(0) !== STREAM) throw damaged(this.#context, 'its format is unknown');
    return header;
  }

  async chunk(key: Buffer, number: number, isLast: boolean, sealedBytes: number): Promise<Buffer> {
    const sealed = await this.#read(sealedBytes);
    const end = sealed.length - STREAM_TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', key, nonce(number, isLast), { authTagLength: STREAM_TAG_BYTES });
    decipher.setAuthTag(sealed.subarray(end));
    const plain = decipher.update(sealed.subarray(0, end));
    try {
      decipher.final();
    } catch (cause) {
      throw damaged(this.#context, `chunk ${number} was changed`, cause);
    }
    return plain;
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  /** Returns the next bytes in a buffer that the next call overwrites. */
  async #read(count: number): Promise<Buffer> {
    for (let filled = 0; filled < count; ) {
      if (this.#rest.length === 0) {
        const next = await this.#source.next();
        if (next.done === true) throw damaged(this.#context, 'it ends too early');
        this.#rest = next.value;
      }
      const part = this.#rest.subarray(0, count - filled);
      this.#started.set(part, filled);
      this.#rest = this.#rest.subarray(part.length);
      filled += part.length;
    }
    return this.#started.subarray(0, count);
  }
}

function damaged(context: SealContext, why: string, cause?: unknown): KeyringError {
  return new KeyringError('damaged_value', `a sealed stream of ${context.kind} cannot be opened: ${why}`, cause);
}

/** Begins a generator, because `return` would not close the source of one that was never started. */
async function begun<T>(generator: AsyncGenerator<T>): Promise<AsyncIterableIterator<T>> {
  let first: IteratorResult<T> | null = await generator.next();
  const begun: AsyncIterableIterator<T> = {
    async next() {
      const given = first ?? (await generator.next());
      first = null;
      return given;
    },
    return() {
      first = null;
      return generator.return(undefined);
    },
    [Symbol.asyncIterator]: () => begun,
  };
  return begun;
}

function nonce(number: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(number, 5, 6);
  bytes.writeUInt8(isLast ? 1 : 0, 11);
  return bytes;
}
