/** A file with its path in the zip. */
export interface ZipInput {
  readonly path: string;
  readonly file: Blob & { readonly lastModified?: number };
}

export interface ZipOptions {
  readonly signal: AbortSignal;
  /** Called with the number of files that were read so far. */
  onProgress(read: number): void;
}

/** Entries that the old end record can count; with more, a ZIP64 record before it has the number. */
const OLD_ENTRIES_MAX = 0xffff;
const VERSION = 20;
const VERSION_64 = 45;
/** Names are UTF-8. */
const FLAGS = 0x0800;
const TIME_FIELD = 0x5455;

/**
 * Makes a zip of files without compressing them. The zip refers to the files instead of copying them, so that a large
 * folder needs no memory: each is read once here, for its checksum, and once when the zip is sent. At most 4 GB.
 */
export async function storedZip(files: readonly ZipInput[], { signal, onProgress }: ZipOptions): Promise<Blob> {
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let [offset, directorySize] = [0, 0];
  for (const [index, { path, file }] of files.entries()) {
    const name = new TextEncoder().encode(path);
    const entry = { name, size: file.size, checksum: await checksumOf(file, signal), time: file.lastModified ?? 0 };
    const header = localHeader(entry);
    const listed = directoryEntry(entry, offset);
    parts.push(header, file);
    directory.push(listed);
    offset += header.length + file.size;
    directorySize += listed.length;
    onProgress(index + 1);
  }
  const end = endRecords({ count: files.length, size: directorySize, offset });
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}

async function checksumOf(file: Blob, signal: AbortSignal): Promise<number> {
  let checksum = 0;
  if (file.size === 0) return checksum;
  const reader = file.stream().getReader();
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = await reader.read();
    if (done) return checksum;
    checksum = crc32(checksum, value);
  }
}

interface Entry {
  readonly name: Uint8Array;
  readonly size: number;
  readonly checksum: number;
  /** Epoch milliseconds. */
  readonly time: number;
}

function localHeader(entry: Entry): Uint8Array<ArrayBuffer> {
  return new Record().u32(0x04034b50).u16(VERSION).common(entry).bytes(entry.name).time(entry.time).done();
}

function directoryEntry(entry: Entry, offset: number): Uint8Array<ArrayBuffer> {
  const record = new Record().u32(0x02014b50).u16(VERSION).u16(VERSION).common(entry);
  // No comment, first disk, no attributes.
  record.u16(0).u16(0).u16(0).u32(0).u32(offset);
  return record.bytes(entry.name).time(entry.time).done();
}

interface Directory {
  readonly count: number;
  readonly size: number;
  readonly offset: number;
}

function endRecords({ count, size, offset }: Directory): Uint8Array<ArrayBuffer> {
  const record = new Record();
  if (count > OLD_ENTRIES_MAX) {
    record.u32(0x06064b50).u64(44).u16(VERSION_64).u16(VERSION_64).u32(0).u32(0);
    record.u64(count).u64(count).u64(size).u64(offset);
    record
      .u32(0x07064b50)
      .u32(0)
      .u64(offset + size)
      .u32(1);
  }
  const counted = Math.min(count, OLD_ENTRIES_MAX);
  return record.u32(0x06054b50).u16(0).u16(0).u16(counted).u16(counted).u32(size).u32(offset).u16(0).done();
}

/** A record of numbers, the least significant byte first. */
class Record {
  readonly #bytes: number[] = [];

  u16(value: number): this {
    this.#bytes.push(value & 0xff, (value >>> 8) & 0xff);
    return this;
  }

  u32(value: number): this {
    return this.u16(value & 0xffff).u16(value >>> 16);
  }

  u64(value: number): this {
    return this.u32(value >>> 0).u32(Math.floor(value / 2 ** 32));
  }

  bytes(bytes: Uint8Array): this {
    this.#bytes.push(...bytes);
    return this;
  }

  /** Writes the fields that both headers of a file share: method, checksum, size, lengths of name and extra data. */
  common({ name, size, checksum, time }: Entry): this {
    const [date, clock] = dosTime(new Date(time));
    this.u16(FLAGS).u16(0).u16(clock).u16(date).u32(checksum).u32(size).u32(size);
    return this.u16(name.length).u16(9);
  }

  /** The time of the last change in seconds; the time in the header has neither a zone nor odd seconds. */
  time(time: number): this {
    this.u16(TIME_FIELD).u16(5);
    this.#bytes.push(1);
    return this.u32(Math.floor(time / 1000) >>> 0);
  }

  done(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#bytes);
  }
}

function dosTime(date: Date): [date: number, clock: number] {
  const year = Math.max(0, date.getUTCFullYear() - 1980);
  return [
    (year << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(),
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
  ];
}

const POLYNOMIAL = 0xedb88320;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

/** Continues the CRC-32 of what came before with more bytes; 0 at the beginning. */
function crc32(before: number, bytes: Uint8Array): number {
  let value = ~before;
  for (const byte of bytes) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] ?? 0);
  return ~value >>> 0;
}
