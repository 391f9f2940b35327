import { Readable } from 'node:stream';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { copiesOf } from '../../../../concurrency/opened-pieces.ts';
import type { SkipReason } from '../progress.ts';
import { type Archive, ArchiveError, type ArchiveFile, EntryRefused, type UnpackMeter } from './archive.ts';
import { decodeName } from './names.ts';
import type { ByteSource } from './range-reader.ts';

const [FILE_TYPE, FOLDER, REGULAR, LINK] = [0o170000, 0o040000, 0o100000, 0o120000];

/** Opens a zip. Throws ArchiveError for one that is damaged or has too many entries. */
export async function openZip(reader: ByteSource, entriesMax: number): Promise<Archive> {
  const open = async () => {
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false } as const;
    const zip = await fromRandomAccessReaderPromise(new StoredZip(reader), reader.size, options);
    if (zip.entryCount > entriesMax) throw new ArchiveError('too_many_entries');
    return zip;
  };
  const first = await open().catch(toArchiveError);
  await refuseOverlaps(await open().catch(toArchiveError));
  return { kind: 'zip', total: first.entryCount, files: (meter) => filesOf(open, meter) };
}

async function* filesOf(open: () => Promise<ZipFile>, meter: UnpackMeter): AsyncGenerator<ArchiveFile> {
  const zip = await open().catch(toArchiveError);
  const entries = zip.eachEntry();
  for (;;) {
    const { done, value: entry } = await entries.next().catch(toArchiveError);
    if (done === true) return;
    meter.countEntry();
    if (entry.fileNameRaw.at(-1) !== SLASH) yield fileOf(zip, entry, meter);
  }
}

/** Bytes of a file's header before its name. */
const HEADER_BYTES = 30;

/**
 * Throws ArchiveError when files share bytes of the archive: otherwise thousands of entries could point to the same
 * compressed bytes, and the ratio limit would not hold.
 */
async function refuseOverlaps(zip: ZipFile): Promise<void> {
  const starts = new Float64Array(zip.entryCount);
  const ends = new Map<number, number>();
  const entries = zip.eachEntry();
  for (let count = 0; ; count++) {
    const { done, value: entry } = await entries.next().catch(toArchiveError);
    if (done === true) break;
    const { relativeOffsetOfLocalHeader: start, fileNameLength, compressedSize } = entry;
    starts[count] = start;
    ends.set(start, start + HEADER_BYTES + fileNameLength + compressedSize);
  }
  let before = 0;
  for (const start of starts.sort()) {
    if (start < before) throw new ArchiveError('damaged_archive');
    before = ends.get(start) ?? start;
  }
}

const SLASH = 0x2f;

function fileOf(zip: ZipFile, entry: Entry, meter: UnpackMeter): ArchiveFile {
  return {
    name: decodeName(entry.fileNameRaw),
    mtime: timeOf(entry),
    refused: refusalOf(entry),
    open: () => meter.pass(unpack(zip, entry), entry.compressedSize),
  };
}

/** Zips have the time of day where they were made, but not where that was. */
function timeOf(entry: Entry): number | null {
  const seconds = entry.getLastModDate({ timezone: 'UTC' }).getTime() / 1000;
  return Number.isFinite(seconds) ? seconds : null;
}

function refusalOf(entry: Entry): SkipReason | null {
  if (entry.isEncrypted()) return 'encrypted';
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
  if (type === LINK) return 'link';
  if (type !== 0 && type !== REGULAR && type !== FOLDER) return 'special_file';
  return entry.canDecodeFileData() ? null : 'unsupported';
}

async function* unpack(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  try {
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw isOfStore(error) ? error : new EntryRefused('damaged', error);
  }
}

/** The stored archive, as the library reads it. */
class StoredZip extends RandomAccessReader {
  readonly #reader: ByteSource;

  constructor(reader: ByteSource) {
    super();
    this.#reader = reader;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(copiesOf(this.#reader.stream(start, end)), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#reader.read(position, length).then(
      (bytes) => {
        if (bytes.length < length) return callback(new ArchiveError('damaged_archive'));
        bytes.copy(buffer, offset);
        callback(null);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
    );
  }
}

/** Whether an error is not of the archive but of the store, so that the import may succeed later. */
export function isOfStore(error: unknown): boolean {
  return error instanceof Error && ['BlobError', 'KeyringError', 'DatabaseError'].includes(error.name);
}

function toArchiveError(error: unknown): never {
  if (error instanceof ArchiveError || isOfStore(error)) throw error;
  throw new ArchiveError('damaged_archive', error);
}
