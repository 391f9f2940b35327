import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { BackupError, type ManifestBody } from '../format.ts';
import { type BackupKey, checkHashes, keyOfBackup, type OpenBackup, openBackup } from '../read/open-backup.ts';
import { requireFree, stagedBytes, stageInFolder } from '../restore/stage-folder.ts';
import type { CopyCheck } from './check-copy.ts';

export interface VerifyRequest {
  readonly path: string;
  readonly config: Config;
  readonly passphrase: string | null;
  /** Reads every note and attachment. */
  readonly deep: boolean;
  readonly progress?: (bytes: number) => void;
}

export interface VerifyResult {
  readonly name: string;
  readonly manifest: ManifestBody;
  /** The findings of opening the copy; null without the master key, when only hashes could be compared. */
  readonly opened: CopyCheck | null;
}

/**
 * Checks a backup without changing anything: every byte by its hash, and with the master key by restoring it into a
 * scratch folder and using the data. Throws BackupDamaged, BackupError, KeyringError, SchemaError.
 */
export async function verifyBackup({ path, config, passphrase, deep, progress }: VerifyRequest): Promise<VerifyResult> {
  await using backup = await openBackup(path);
  const { source } = backup;
  const { body } = source.manifest;
  const key = await keyOfBackup(source, config, passphrase);
  await checkHashes(source, progress ?? (() => undefined));
  if (key === null) {
    if (deep) throw new BackupError('--deep opens notes, which needs the master key: give NOTEVAULT_MASTER_KEY.');
    return { name: source.name, manifest: body, opened: null };
  }
  return { name: source.name, manifest: body, opened: await restoreIntoScratch(backup, key, config, deep) };
}

/** Restores into an empty scratch folder, ignoring the configured database and blob store. */
async function restoreIntoScratch({ source, scratch }: OpenBackup, key: BackupKey, config: Config, deep: boolean) {
  const dataDir = join(scratch, 'data');
  await mkdir(dataDir, { mode: 0o700 });
  await requireFree(dataDir, stagedBytes(source), 'Verifying (TMPDIR says where)');
  const kind = source.manifest.body.blobs.stored === 'apart' ? 'disk' : 'database';
  const there: Config = { ...config, dataDir, databaseUrl: null, databaseDirectUrl: null, blobs: { kind } };
  return await stageInFolder({ source, key, config: there, revokeCredentials: false, deep });
}
