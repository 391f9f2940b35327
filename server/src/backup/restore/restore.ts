import type { Config } from '../../config/config.ts';
import { BackupError } from '../format.ts';
import type { CopyCheck } from '../verify/check-copy.ts';
import { listPointsOfFolder, restoreIntoFolder, returnToPointOfFolder } from './restore-folder.ts';
import { listPointsOfPostgres, restoreIntoPostgres, returnToPointOfPostgres } from './restore-postgres.ts';
import type { RestoreRequest, RestoreResult } from './stage-folder.ts';

/**
 * Replaces the data of a stopped server by a backup. The data is prepared and checked beside the present one, which is
 * replaced in one step at the end and kept as a restore point: when anything fails before, nothing has changed. Throws
 * BackupDamaged, BackupError, KeyringError, SchemaError, DataFolderBusy.
 */
export async function restoreBackup(request: RestoreRequest): Promise<RestoreResult> {
  return request.config.databaseUrl === null ? restoreIntoFolder(request) : restoreIntoPostgres(request);
}

export interface RestorePoint {
  /** The name of its folder in the data folder, or of its schema in the database. */
  readonly name: string;
  readonly bytes: number;
}

export interface ReturnResult {
  readonly checked: CopyCheck;
  /** Path of the data from before the return; null when there was none. */
  readonly restorePoint: string | null;
}

/** Lists the restore points of a data folder or a database, the oldest first. */
export function listRestorePoints(config: Config): Promise<RestorePoint[]> {
  return config.databaseUrl === null ? listPointsOfFolder(config.dataDir) : listPointsOfPostgres(config);
}

/**
 * Puts a restore point of a stopped server back in the place of its data, which becomes a restore point itself: the two
 * change places in one step, after the point was brought up to date and tried. Sessions end, and clients read their
 * vaults again. Throws BackupError, KeyringError, SchemaError, DataFolderBusy.
 *
 * @param revokeCredentials ends keys, devices and applications too.
 */
export async function returnToRestorePoint(
  config: Config,
  name: string,
  revokeCredentials: boolean,
): Promise<ReturnResult> {
  const points = await listRestorePoints(config);
  if (!points.some((point) => point.name === name)) {
    const names = points.map((point) => point.name).join(', ');
    throw new BackupError(
      `There is no restore point ${name}. ${names === '' ? 'There are none.' : `There are: ${names}.`}`,
    );
  }
  const returnTo = config.databaseUrl === null ? returnToPointOfFolder : returnToPointOfPostgres;
  return returnTo(config, name, revokeCredentials);
}
