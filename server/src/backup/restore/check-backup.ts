import type { Config } from '../../config/config.ts';
import { blobStoreOf } from '../../open-ports.ts';
import { BackupError, type ManifestBody } from '../format.ts';
import { type BackupKey, checkHashes, keyOfBackup, type OpenBackup } from '../read/open-backup.ts';
import type { CopyCheck } from '../verify/check-copy.ts';

export interface RestoreRequest {
  /** A backup as `openBackup` takes it. */
  readonly path: string;
  readonly config: Config;
  readonly passphrase: string | null;
  /** Ends keys, devices and applications, not only sessions. */
  readonly revokeCredentials: boolean;
  readonly progress?: (bytes: number) => void;
}

export interface Restored {
  readonly name: string;
  readonly manifest: ManifestBody;
  readonly checked: CopyCheck;
  /** Where the data before is kept; null when there was none. */
  readonly restorePoint: string | null;
}

/** Checks every byte of a backup, and that it fits the configuration. Resolves to its key. */
export async function checkBackup({ source }: OpenBackup, request: RestoreRequest): Promise<BackupKey> {
  const { config, passphrase, progress = () => undefined } = request;
  const { body } = source.manifest;
  const inDatabase = blobStoreOf(config).kind === 'database';
  if (body.blobs.stored === 'database' && !inDatabase) {
    throw new BackupError(
      'Attachments are inside the database of this backup: set NOTEVAULT_BLOBS=database, then restore.',
    );
  }
  if (body.engine === 'sqlite' && config.databaseUrl !== null) {
    throw new BackupError(
      'The backup is of an embedded database and cannot be restored into PostgreSQL: leave NOTEVAULT_DATABASE_URL out.',
    );
  }
  const key = await keyOfBackup(source, config, passphrase);
  if (key === null) {
    throw new BackupError(
      `The backup needs master key ${body.master_key_id}: give it as NOTEVAULT_MASTER_KEY, put its file into the data ` +
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
