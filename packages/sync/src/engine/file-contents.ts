import { type Content, type Disk, DiskChanged, type DiskFile, DiskRefused, type Hashing } from './ports.ts';

/** Files of at most this size are read at once, which most disks do faster than in pieces. */
const SMALL_BYTES = 64 * 1024;

/** The contents of files, with their hashes. */
export class FileContents {
  readonly #disk: Disk;
  readonly #hashing: Hashing;

  constructor(disk: Disk, hashing: Hashing) {
    this.#disk = disk;
    this.#hashing = hashing;
  }

  /** Returns the hash of a file; null when it is no longer as listed. Throws DiskRefused for one that cannot be read. */
  async hash(file: DiskFile): Promise<string | null> {
    if (file.size <= SMALL_BYTES) {
      const bytes = await this.#disk.readBytes(file);
      return bytes === null ? null : this.hashOfBytes(bytes);
    }
    const hash = this.#hashing.begin();
    try {
      for await (const piece of this.#disk.read(file)) hash.add(piece);
    } catch (error) {
      if (error instanceof DiskChanged) return null;
      throw error;
    }
    return hash.end();
  }

  /**
   * Returns the text of a file and the hash of its bytes; `text` is null if they are not UTF-8. Returns null when the
   * file is no longer as listed.
   */
  async text(file: DiskFile): Promise<{ readonly text: string | null; readonly hash: string } | null> {
    const bytes = await this.#disk.readBytes(file);
    return bytes === null ? null : { text: utf8Text(bytes), hash: await this.hashOfBytes(bytes) };
  }

  /** Returns the text of a content. Throws DiskRefused for bytes that are not those announced: they must not be merged. */
  async textOf(content: Content): Promise<string> {
    return decoded(await wholeOf(this.verified(content)));
  }

  /**
   * Passes the bytes of a content on. Throws DiskRefused, at the latest after the last of them, unless they have the
   * size and the hash that the server announced.
   */
  async *verified({ bytes, size, hash }: Pick<Content, 'bytes' | 'size' | 'hash'>): AsyncIterable<Uint8Array> {
    const hashed = this.#hashing.begin();
    let length = 0;
    for await (const piece of bytes) {
      length += piece.length;
      if (size !== null && length > size) throw new DiskRefused(OTHER_BYTES);
      hashed.add(piece);
      yield piece;
    }
    if ((size !== null && length !== size) || (await hashed.end()) !== hash) throw new DiskRefused(OTHER_BYTES);
  }

  hashOfText(text: string): string | Promise<string> {
    return this.hashOfBytes(new TextEncoder().encode(text));
  }

  async hashOfBytes(bytes: Uint8Array): Promise<string> {
    const hash = this.#hashing.begin();
    hash.add(bytes);
    return hash.end();
  }
}

const OTHER_BYTES = 'was sent with other bytes than the server announced';

// A byte order mark is part of the text, so that a file comes back byte for byte.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function utf8Text(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

export function decoded(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Collects bytes. */
export async function wholeOf(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of bytes) {
    pieces.push(piece);
    length += piece.length;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
