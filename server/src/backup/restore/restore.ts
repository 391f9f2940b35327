import { restoreIntoFolder } from './restore-folder.ts';
import { restoreIntoPostgres } from './restore-postgres.ts';
import type { Restored, RestoreRequest } from './stage-folder.ts';

/**
 * Replaces the data of a stopped server by a backup. The data is prepared and checked beside the present one, which is
 * replaced in one step at the end and kept as a restore point: when anything fails before, nothing has changed. Throws
 * BackupDamaged, BackupError, KeyringError, SchemaError, DataFolderBusy.
 */
export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  return request.config.databaseUrl === null ? restoreIntoFolder(request) : restoreIntoPostgres(request);
}
