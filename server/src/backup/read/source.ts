import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { latestPlausible } from '../../ports/clock/clock.ts';
import { type ListedBlob, readBlobLines } from '../blob-list.ts';
import {
  BackupDamaged,
  BackupError,
  backupName,
  isBackupName,
  MANIFEST_BYTES_MAX,
  MANIFEST_FILE,
  type Manifest,
  type ObjectKind,
  type ObjectRef,
  objectPath,
  readManifest,
  sha256,
} from '../format.ts';

/** Longest object that is read into memory: a piece of the database or of a list. */
const PIECE_BYTES_MAX = 64 * MB;
const READ_BYTES = MB;

/** A backup in a folder. Everything that is read from it is compared with its hash. */
export class BackupSource {
  readonly folder: string;
  readonly name: string;
  readonly manifest: Manifest;

  private constructor(folder: string, name: string, manifest: Manifest) {
    this.folder = folder;
    this.name = name;
    this.manifest = manifest;
  }

  /** Throws BackupDamaged. */
  static async open(folder: string, name: string): Promise<BackupSource> {
    const file = join(folder, name, MANIFEST_FILE);
    const found = await stat(file).catch(() => null);
    if (found === null) throw new BackupDamaged(file, 'is missing');
    if (found.size > MANIFEST_BYTES_MAX) throw new BackupDamaged(file, 'is too long for a manifest');
    return new BackupSource(folder, name, readManifest(await readText(file), file));
  }

  /** Throws BackupDamaged. */
  async piece(kind: ObjectKind, object: ObjectRef): Promise<Buffer> {
    if (object.size > PIECE_BYTES_MAX) throw new BackupDamaged(this.fileOf(kind, object), 'is too long for a piece');
    const pieces: Buffer[] = [];
    for await (const piece of this.bytes(kind, object)) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  }

  /** Reads an object of any size. Throws BackupDamaged at its end unless all of it is as it was written. */
  async *bytes(kind: ObjectKind, object: ObjectRef): AsyncGenerator<Uint8Array> {
    const file = this.fileOf(kind, object);
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const piece of createReadStream(file, { highWaterMark: READ_BYTES })) {
        const bytes = piece as Buffer;
        size += bytes.length;
        if (size > object.size) break;
        hash.update(bytes);
        yield bytes;
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new BackupDamaged(file, 'is missing');
      if (code === 'EIO') throw new BackupDamaged(file, 'cannot be read (EIO)');
      throw error;
    }
    if (size !== object.size || hash.digest('hex') !== object.hash) throw new BackupDamaged(file, 'has other bytes');
  }

  async *part(name: string): AsyncGenerator<Uint8Array> {
    const part = this.manifest.body.database.find((each) => each.name === name);
    for (const [hash, size] of part?.pieces ?? []) yield await this.piece('database', { hash, size });
  }

  /** Ordered by key. */
  async *blobs(): AsyncGenerator<ListedBlob> {
    for (const [hash, size] of this.manifest.body.blobs.lists) {
      const object = { hash, size };
      yield* readBlobLines(await this.piece('database', object), this.fileOf('database', object));
    }
  }

  /** Every object of the backup, some more than once. */
  async *objects(): AsyncGenerator<{ readonly kind: ObjectKind; readonly object: ObjectRef }> {
    const { database, blobs } = this.manifest.body;
    for (const { pieces } of database) {
      for (const [hash, size] of pieces) yield { kind: 'database', object: { hash, size } };
    }
    for (const [hash, size] of blobs.lists) yield { kind: 'database', object: { hash, size } };
    for await (const { hash, size } of this.blobs()) yield { kind: 'blobs', object: { hash, size } };
  }

  fileOf(kind: ObjectKind, { hash }: ObjectRef): string {
    return join(this.folder, objectPath(kind, hash));
  }
}

/** The names of the backups, newest first; those dated in the future last, as they would outlive all others. */
export async function listBackups(folder: string, now = Date.now()): Promise<string[]> {
  const sorted = (await readdir(folder).catch(() => [])).filter(isBackupName).sort().reverse();
  const latest = backupName(new Date(latestPlausible(now)));
  const { right = [], ahead = [] } = Object.groupBy(sorted, (name) => (name <= latest ? 'right' : 'ahead'));
  const names = [...right, ...ahead];
  const complete = await Promise.all(names.map((name) => stat(join(folder, name, MANIFEST_FILE)).catch(() => null)));
  return names.filter((_, at) => complete[at] !== null);
}

/** Opens the newest backup of a folder, or the one whose folder or manifest is named. */
export async function openBackupFolder(path: string): Promise<BackupSource> {
  const folder = basename(path) === MANIFEST_FILE ? dirname(path) : path;
  if (isBackupName(basename(folder))) return BackupSource.open(dirname(folder), basename(folder));
  const [newest] = await listBackups(folder);
  if (newest === undefined) throw new BackupError(`There is no backup in ${folder}.`);
  return BackupSource.open(folder, newest);
}

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file);
  const text = bytes.toString();
  // Decoding replaces invalid UTF-8 silently.
  if (sha256(text) !== sha256(bytes)) throw new BackupDamaged(file, 'is not UTF-8');
  return text;
}
