import { IMPORT_BYTES_MAX } from '@notevault/protocol/import-limits.ts';
import type { SkipReason } from '../progress.ts';
import { type Archive, ArchiveError, type ArchiveFile, EntryRefused, type UnpackMeter } from './archive.ts';
import { vaultPathOf } from './names.ts';
import type { ByteSource, RangeReader } from './range-reader.ts';
import { isTar, openTar } from './tar.ts';
import { openZip } from './zip.ts';

const HEAD_BYTES = 512;

/** Opens a zip or tar, recognised by its first bytes; null for anything else. Throws ArchiveError. */
export async function openArchive(bytes: ByteSource, entriesMax: number): Promise<Archive | null> {
  const head = Buffer.from(await bytes.read(0, HEAD_BYTES));
  if (/^PK(?:\x03\x04|\x05\x06)/.test(head.toString('latin1', 0, 4))) return openZip(bytes, entriesMax);
  return isTar(head) ? openTar(bytes) : null;
}

export function isArchiveName(path: string): boolean {
  return /\.(?:zip|jex|tar)$/i.test(path);
}

/** Opens the archives in an archive as one; damaged ones are refused. @param store keeps them unpacked. */
export async function openInnerArchives(
  outer: Archive,
  meter: UnpackMeter,
  entriesMax: number,
  store: (bytes: AsyncIterable<Uint8Array>) => Promise<RangeReader>,
): Promise<Archive> {
  const unpacked: InnerArchive[] = [];
  const reader = await store(unpack(outer.files(meter), unpacked));
  const parts: Archive[] = [];
  let total: number | null = 0;
  for (const { file, start, size, refused } of unpacked) {
    const bytes = reader.part(start, size);
    const part: Archive | null =
      refused === null ? await openArchive(bytes, entriesMax - (total ?? 0)).catch(nullIfDamaged) : null;
    parts.push(part ?? alone({ ...file, refused: refused ?? 'damaged' }));
    total = part?.total === null || total === null ? null : total + (part?.total ?? 1);
  }
  async function* files(each: UnpackMeter) {
    for (const part of parts) yield* part.files(each);
  }
  return { kind: 'zip', total, files };
}

interface InnerArchive {
  readonly file: ArchiveFile;
  readonly start: number;
  readonly size: number;
  readonly refused: SkipReason | null;
}

/** Unpacks files one after the other and lists where each is. */
async function* unpack(files: AsyncIterable<ArchiveFile>, unpacked: InnerArchive[]): AsyncGenerator<Uint8Array> {
  let end = 0;
  for await (const file of files) {
    const start = end;
    const place = vaultPathOf(file.name);
    let refused = 'refused' in place ? place.refused : file.refused;
    try {
      for await (const piece of refused === null ? file.open() : []) {
        end += piece.length;
        // Together they are no larger than an archive that is uploaded.
        if (end > IMPORT_BYTES_MAX) throw new ArchiveError('unpacked_too_large');
        yield piece;
      }
    } catch (error) {
      if (!(error instanceof EntryRefused)) throw error;
      refused = error.reason;
    }
    unpacked.push({ file, start, size: end - start, refused });
  }
}

function nullIfDamaged(error: unknown): null {
  if (error instanceof ArchiveError && error.fault === 'damaged_archive') return null;
  throw error;
}

function alone(file: ArchiveFile): Archive {
  async function* files() {
    yield file;
  }
  return { kind: 'zip', total: 1, files };
}
