import { createHash } from 'node:crypto';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { DAMAGE_HELP } from '../data/damage-help.ts';

/*
 * The format of a backup, docs/adr/0035. A folder has any number of backups, which share their objects:
 *
 * <time>/manifest.json      the contents of the backup taken at that time database/<xx>/<sha256>    a piece of the
 * database, or of the list of blobs blobs/<xx>/<sha256>       the bytes of an attachment, sealed as they are stored
 *
 * As a tar stream it is the same files, of one backup, with its manifest at the end.
 */

export const FORMAT = 1;
/** Longest manifest that is read: the pieces of a database of 12 TB. */
export const MANIFEST_BYTES_MAX = 256 * MB;
export const MANIFEST_FILE = 'manifest.json';

export type ObjectKind = 'database' | 'blobs';
/** An object of the backup. It is named by its hash, so equal bytes are stored once and need not be copied again. */
export interface ObjectRef {
  readonly hash: string;
  readonly size: number;
}

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Name = Type.String({ pattern: '^[a-z][a-z0-9_.]{0,62}$' });
const Base64 = Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$' });
const Pieces = Type.Array(Type.Tuple([Hash, Count]));

const WrappedKey = Type.Object({
  kdf: Type.Literal('argon2id'),
  memory: Type.Integer({ minimum: 8, maximum: 1_048_576 }),
  passes: Type.Integer({ minimum: 1, maximum: 100 }),
  parallelism: Type.Integer({ minimum: 1, maximum: 16 }),
  salt: Base64,
  iv: Base64,
  sealed: Base64,
});
const Body = Type.Object({
  format: Type.Literal(FORMAT),
  taken_at: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' }),
  version: Type.String(),
  engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
  schema: Type.Array(Type.Object({ number: Count, name: Type.String(), version: Type.String() })),
  master_key_id: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  counts: Type.Object({ users: Count, vaults: Count, notes: Count, attachments: Count, versions: Count }),
  database: Type.Array(
    Type.Object({ name: Name, columns: Type.Union([Type.Array(Name), Type.Null()]), pieces: Pieces }),
  ),
  blobs: Type.Object({
    /** `database`: they are among its tables, and none are listed. */
    stored: Type.Union([Type.Literal('database'), Type.Literal('apart')]),
    count: Count,
    bytes: Count,
    /** Blobs that were missing or too short where they are stored. */
    missing: Type.Array(Type.String()),
    lists: Pieces,
  }),
  key: Type.Union([WrappedKey, Type.Null()]),
});
export type ManifestBody = Static<typeof Body>;

const Manifest = Type.Object({ body: Body, hmac: Hash, sha256: Hash });
export type Manifest = Static<typeof Manifest>;

const check = Compile(Manifest);

/** A backup, or a part of it, is damaged or none at all. The message names the file. */
export class BackupDamaged extends Error {
  override readonly name = 'BackupDamaged';
  constructor(file: string, why: string) {
    super(`The backup is damaged: ${file} ${why}. Nothing was changed; use another backup.`);
  }
}

/** A backup cannot be taken, read or restored; the message says why and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export class DataDamaged extends BackupError {
  constructor(why: string, cause?: unknown) {
    super(`The data is damaged, so no backup was taken and none was removed: ${why}. ${DAMAGE_HELP}`, { cause });
  }
}

/** The name of a backup's folder: the time at which it was taken. */
export function backupName(takenAt: Date): string {
  return takenAt.toISOString().replaceAll(/[-:.]/g, '');
}

export const isBackupName = (name: string) => /^\d{8}T\d{9}Z$/.test(name);

export function objectPath(kind: ObjectKind, hash: string): string {
  return `${kind}/${hash.slice(0, 2)}/${hash}`;
}

export function isBackupPath(path: string): boolean {
  const [first = '', second = '', third] = path.split('/');
  if (third === undefined) return isBackupName(first) && second === MANIFEST_FILE;
  return /^(?:database|blobs)\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/.test(path);
}

/** The HMAC proves that somebody with the master key made the manifest; the SHA-256 shows damage without that key. */
export function writeManifest(body: ManifestBody, hmac: (text: string) => Buffer): string {
  const signed = { body, hmac: hmac(JSON.stringify(body)).toString('hex') };
  return `${JSON.stringify({ ...signed, sha256: sha256(JSON.stringify(signed)) })}\n`;
}

/** Reads a manifest. Throws BackupDamaged unless every byte is as it was written. */
export function readManifest(text: string, file: string): Manifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new BackupDamaged(file, 'is not JSON');
  }
  const { format } = (manifest as { body?: { format?: unknown } } | null)?.body ?? {};
  if (Number.isInteger(format) && Number(format) > FORMAT) {
    throw new BackupError(
      `${file} was written by a newer version of Notevault (backup format ${format}): use that one.`,
    );
  }
  if (!check.Check(manifest)) throw new BackupDamaged(file, 'is no manifest of a backup');
  const { body, hmac, sha256: hash } = manifest;
  // Compared as text too, because JSON may write one value in several ways.
  const same = `${JSON.stringify(manifest)}\n` === text && sha256(JSON.stringify({ body, hmac })) === hash;
  if (!same) throw new BackupDamaged(file, 'is not as it was written');
  return manifest;
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
