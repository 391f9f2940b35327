import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { extract, type Headers } from 'tar-stream';
import { freeBytesOf, makeFolder, writeFileDurably } from '../files.ts';
import { BackupDamaged, BackupError, isBackupPath, MANIFEST_BYTES_MAX, MANIFEST_FILE } from '../format.ts';

const SPARE_BYTES = 64 * MB;

/**
 * Unpacks a backup that was written as a tar stream into an empty folder. It writes nothing but files that a backup
 * has, below the folder, and no more bytes than the tar file has. Throws BackupDamaged and BackupError.
 */
export async function unpackTar(file: string, folder: string): Promise<void> {
  const { size } = await stat(file);
  if ((await freeBytesOf(folder)) < size + SPARE_BYTES) {
    throw new BackupError(`${file} cannot be unpacked: ${folder} has no room for ${size} bytes.`);
  }
  const entries = extract();
  const input = createReadStream(file);
  input.on('error', (error) => entries.destroy(error));
  input.pipe(entries);
  const seen = new Set<string>();
  try {
    for await (const entry of entries) {
      const { header } = entry;
      if (!isFolder(header)) await writeEntry(file, folder, header, Readable.from(entry), seen);
      entry.resume();
    }
  } catch (error) {
    if (error instanceof BackupDamaged || error instanceof BackupError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error;
    throw new BackupDamaged(file, 'is no tar file, or not a whole one');
  } finally {
    input.destroy();
  }
  if (![...seen].some((path) => path.endsWith(`/${MANIFEST_FILE}`))) {
    throw new BackupDamaged(file, `ends before its ${MANIFEST_FILE}`);
  }
}

function isFolder({ type, name }: Headers): boolean {
  return type === 'directory' && /^[\w]+(?:\/[0-9a-f]{2})?\/?$/.test(name);
}

async function writeEntry(
  file: string,
  folder: string,
  { name, type, size = 0 }: Headers,
  bytes: AsyncIterable<Uint8Array>,
  seen: Set<string>,
): Promise<void> {
  const inside = `${file} (${name})`;
  if (type !== 'file' || !isBackupPath(name) || seen.has(name))
    throw new BackupDamaged(inside, 'is no file of a backup');
  if (name.endsWith(MANIFEST_FILE) && size > MANIFEST_BYTES_MAX) throw new BackupDamaged(inside, 'is too long');
  seen.add(name);
  await makeFolder(join(folder, dirname(name)));
  const hash = createHash('sha256');
  async function* hashed() {
    for await (const piece of bytes) {
      hash.update(piece);
      yield piece;
    }
  }
  const written = await writeFileDurably(join(folder, name), hashed());
  const isObject = !name.endsWith(MANIFEST_FILE);
  if (written !== size || (isObject && hash.digest('hex') !== basename(name))) {
    throw new BackupDamaged(inside, 'has other bytes');
  }
}
