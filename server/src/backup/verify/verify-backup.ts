import type { Config } from '../../config/config.ts';
import { databaseFile } from '../../data/data-folder.ts';
import { checkSqlite } from '../../ports/database/sqlite/check.ts';
import { BackupError, type ManifestBody } from '../format.ts';
import { type BackupKey, checkHashes, keyOfBackup, type OpenBackup, openBackup } from '../read/open-backup.ts';
import { openCopy } from '../read/open-copy.ts';
import type { CopyCheck } from './check-copy.ts';
import { checkWith } from './check-with.ts';

export interface VerifyRequest {
  readonly path: string;
  readonly config: Config;
  readonly passphrase: string | null;
  /** Reads every note and attachment. */
  readonly deep: boolean;
  readonly progress?: (bytes: number) => void;
}

export interface Verified {
  readonly name: string;
  readonly manifest: ManifestBody;
  /** What was opened; null without the master key, when only hashes could be compared. */
  readonly opened: CopyCheck | null;
}

/**
 * Checks a backup without changing anything: every byte by its hash, and with the master key the data by using it in a
 * scratch folder. Throws BackupDamaged, BackupError, KeyringError, SchemaError.
 */
export async function verifyBackup({ path, config, passphrase, deep, progress }: VerifyRequest): Promise<Verified> {
  await using backup = await openBackup(path);
  const { source } = backup;
  const { body } = source.manifest;
  const key = await keyOfBackup(source, config, passphrase);
  await checkHashes(source, progress ?? (() => undefined));
  if (key === null) {
    if (deep) throw new BackupError('--deep opens notes, which needs the master key: give NOTEVAULT_MASTER_KEY.');
    return { name: source.name, manifest: body, opened: null };
  }
  const { dataDir, opened } = await openAndCheck(backup, key, config, deep);
  const pages = checkSqlite(databaseFile(dataDir));
  return { name: source.name, manifest: body, opened: { ...opened, faults: [...pages, ...opened.faults] } };
}

async function openAndCheck(backup: OpenBackup, key: BackupKey, config: Config, deep: boolean) {
  await using copy = await openCopy(backup);
  const { dataDir, db, blobs, clock } = copy;
  const opened = await checkWith({ db, blobs, clock, key, config: { ...config, dataDir, databaseUrl: null } }, deep);
  return { dataDir, opened };
}
