import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { Config } from '../../config/config.ts';
import { databaseFile } from '../../data/data-folder.ts';
import { migrations } from '../../data/migrations.ts';
import { blobStoreOf, openBlobs } from '../../open-ports.ts';
import type { Blobs } from '../../ports/blobs/blobs.ts';
import { databaseBlobs } from '../../ports/blobs/database.ts';
import { type Clock, systemClock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import { checkSqlite } from '../../ports/database/sqlite/check.ts';
import { openSqlite } from '../../ports/database/sqlite/sqlite.ts';
import { freeBytesOf } from '../files.ts';
import { BackupError, type ManifestBody } from '../format.ts';
import { type BackupKey, checkHashes, keyOfBackup, type OpenBackup } from '../read/open-backup.ts';
import { loadIntoSqlite } from '../read/open-copy.ts';
import type { BackupSource } from '../read/source.ts';
import type { CopyCheck } from '../verify/check-copy.ts';
import { checkWith } from '../verify/check-with.ts';
import { prepareRestored } from './prepare-restored.ts';

const SPARE_BYTES = 256 * MB;

export interface StageRequest {
  readonly source: BackupSource;
  readonly key: BackupKey;
  /** Names the folder that the data is made in, which exists, and where its blobs are stored. */
  readonly config: Config;
  readonly revokeCredentials: boolean;
  /** Reads every note and attachment. */
  readonly deep: boolean;
}

/**
 * Restores a backup into a folder, upgraded to the current schema; resolves to the findings of using it. The check of
 * a backup calls it too, so that it shows what a restore does.
 */
export async function stageInFolder({
  source,
  key,
  config,
  revokeCredentials,
  deep,
}: StageRequest): Promise<CopyCheck> {
  const file = databaseFile(config.dataDir);
  await loadIntoSqlite(source, file);
  const pages = await checkSqlite(file);
  const clock = systemClock();
  await using opened = new AsyncDisposableStack();
  const db = opened.use(await openSqlite({ file }));
  await db.migrate(migrations);
  await prepareRestored(db, clock, revokeCredentials, takenAtOf(source));
  const blobs = opened.use(await openBlobs(config, db, clock));
  await storeBlobs(source, { db, blobs, config, clock });
  const checked = await checkWith({ db, blobs, key, config, clock }, deep);
  return { ...checked, faults: [...pages, ...checked.faults] };
}

interface BlobTarget {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly config: Config;
  readonly clock: Clock;
}

/** Stores the attachments of a backup where the configuration says, also those that are in its database. */
export async function storeBlobs(source: BackupSource, { db, blobs, config, clock }: BlobTarget): Promise<void> {
  for await (const blob of source.blobs()) await blobs.put(blob.key, source.bytes('blobs', blob));
  const { stored } = source.manifest.body.blobs;
  if (stored === 'apart' || blobStoreOf(config).kind === 'database') return;
  await using inside = databaseBlobs(db, clock);
  for await (const page of inside.list()) {
    for (const { key } of page) {
      const bytes = await inside.read(key);
      if (bytes !== null) await blobs.put(key, bytes);
    }
    await inside.delete(page.map(({ key }) => key));
  }
}

/** When a backup was taken, in epoch milliseconds. */
export function takenAtOf({ manifest }: BackupSource): number {
  return Date.parse(manifest.body.taken_at);
}

export function stagedBytes(source: BackupSource): number {
  return databaseBytes(source) + source.manifest.body.blobs.bytes;
}

export function databaseBytes({ manifest }: BackupSource): number {
  const pieces = manifest.body.database.flatMap((part) => part.pieces);
  return pieces.reduce((sum, [, size]) => sum + size, 0);
}

/** Throws BackupError when a disk has fewer free bytes. @param what the data, as the first word of a sentence. */
export async function requireFree(folder: string, bytes: number, what = 'Restoring'): Promise<void> {
  const needed = bytes + SPARE_BYTES;
  const free = await freeBytesOf(folder);
  if (free >= needed) return;
  const mb = (size: number) => `${Math.ceil(size / 1_000_000)} MB`;
  throw new BackupError(
    `${what} needs ${mb(needed)}, but the disk of ${folder} has only ${mb(free)} free. Nothing was changed.`,
  );
}

export interface RestoreRequest {
  /** A backup as `openBackup` takes it. */
  readonly path: string;
  readonly config: Config;
  readonly passphrase: string | null;
  /** Ends keys, devices and applications, not only sessions. */
  readonly revokeCredentials: boolean;
  readonly progress?: (bytes: number) => void;
}

export interface RestoreResult {
  readonly name: string;
  readonly manifest: ManifestBody;
  readonly checked: CopyCheck;
  /** Path of the data from before; null when there was none. */
  readonly restorePoint: string | null;
}

/** Checks every byte of a backup, and that it fits the configuration. Resolves to its key. */
export async function checkBackup({ source }: OpenBackup, request: RestoreRequest): Promise<BackupKey> {
  const { config, passphrase, progress = () => undefined } = request;
  const key = await keyOfBackup(source, config, passphrase);
  if (key === null) {
    throw new BackupError(
      `The backup needs master key ${source.manifest.body.master_key_id}: give it as NOTEVAULT_MASTER_KEY, put its file into the data ` +
        'folder, or give --passphrase-stdin if the backup has it.',
    );
  }
  await checkHashes(source, progress);
  return key;
}

/** Throws BackupError when restored data does not work. */
export function requireHealthy({ faults }: CopyCheck): void {
  const [first] = faults;
  if (first === undefined) return;
  const more = faults.length > 1 ? `, and ${faults.length - 1} more` : '';
  throw new BackupError(`The restored data does not work (${first}${more}). Nothing was changed.`);
}
