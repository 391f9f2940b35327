import { IMPORT_ENTRIES_MAX } from '@notevault/protocol/import-limits.ts';
import { GB, MB } from '@notevault/protocol/values/byte-units.ts';
import type { SkipReason } from '../progress.ts';

export interface ArchiveFile {
  /** Name in the archive, unchecked. */
  readonly name: string;
  /** Epoch seconds; null when the archive does not say. */
  readonly mtime: number | null;
  /** The reason why it cannot be imported under any name; null when it can. */
  readonly refused: SkipReason | null;
  /** Unpacks it. May be called again. Throws EntryRefused, ArchiveError. */
  open(): AsyncIterable<Uint8Array>;
}

/** An archive whose files can be read in any order, more than once. */
export interface Archive {
  readonly kind: 'zip' | 'tar';
  /** Files and folders in it, if it says so; else null. */
  readonly total: number | null;
  /** @param meter counts this reading. */
  readonly files: (meter: UnpackMeter) => AsyncIterable<ArchiveFile>;
}

/** Why an archive cannot be imported as a whole. */
export type ArchiveFault = 'unsupported_archive' | 'damaged_archive' | 'too_many_entries' | 'unpacked_too_large';

export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
  readonly fault: ArchiveFault;
  constructor(fault: ArchiveFault, cause?: unknown) {
    super(fault, { cause });
    this.fault = fault;
  }
}

/** Thrown for a file that is not imported; the others are. */
export class EntryRefused extends Error {
  override readonly name = 'EntryRefused';
  readonly reason: SkipReason;
  constructor(reason: SkipReason, cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

export interface ArchiveLimits {
  readonly entries: number;
  readonly unpackedBytes: number;
  /** Maximum compression ratio of a packed file, and of the archive. */
  readonly ratio: number;
  /** Bytes of a file from which on the ratio counts: short files of one letter are harmless. */
  readonly ratioFrom: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = {
  entries: IMPORT_ENTRIES_MAX,
  unpackedBytes: 20 * GB,
  ratio: 100,
  ratioFrom: MB,
};

/** Number of files of `ratioFrom` bytes that an archive of any size may unpack to. */
const SHORT_FILES = 64;

/** Counts unpacked bytes, because the sizes in an archive may be false. */
export class UnpackMeter {
  readonly #limits: ArchiveLimits;
  readonly #bytesMax: number;
  #entries = 0;
  #bytes = 0;

  /**
   * @param archiveBytes the size of the archive.
   * @param before the meter of the inner archives unpacked from it, whose bytes count too.
   */
  constructor(limits: ArchiveLimits, archiveBytes: number, before?: UnpackMeter) {
    this.#limits = limits;
    if (before !== undefined) [this.#entries, this.#bytes] = [before.#entries, before.#bytes];
    const { ratio, ratioFrom, unpackedBytes } = limits;
    this.#bytesMax = Math.min(unpackedBytes, SHORT_FILES * ratioFrom + archiveBytes * ratio);
  }

  /** Throws ArchiveError beyond the number of entries. */
  countEntry(): void {
    this.#entries += 1;
    if (this.#entries > this.#limits.entries) throw new ArchiveError('too_many_entries');
  }

  /** Passes on the bytes of a file. Throws EntryRefused for one that grows too much, ArchiveError beyond the total. */
  async *pass(bytes: AsyncIterable<Uint8Array>, packedBytes: number): AsyncGenerator<Uint8Array> {
    const { ratio, ratioFrom } = this.#limits;
    let own = 0;
    for await (const piece of bytes) {
      own += piece.length;
      this.#bytes += piece.length;
      if (own > ratioFrom && own > packedBytes * ratio) throw new EntryRefused('ratio');
      if (this.#bytes > this.#bytesMax) throw new ArchiveError('unpacked_too_large');
      yield piece;
    }
  }
}
