import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import type { Config } from '../../config/config.ts';
import { databaseFile } from '../../data/data-folder.ts';
import { migrations } from '../../data/migrations.ts';
import type { Blobs } from '../../ports/blobs/blobs.ts';
import { databaseBlobs } from '../../ports/blobs/database.ts';
import { systemClock } from '../../ports/clock/clock.ts';
import { openSqlite } from '../../ports/database/sqlite/sqlite.ts';
import { openOffline } from '../verify/check-with.ts';
import { BackupBlobs } from './backup-blobs.ts';
import { loadIntoSqlite } from './load-sqlite.ts';
import type { BackupKey, OpenBackup } from './open-backup.ts';

/**
 * Opens a backup as a service, to read single vaults from it: its data is loaded into its scratch folder at the latest
 * schema. What is written to it is lost with that. Throws SchemaError for a backup of a newer version.
 */
export async function openCopyApp({ source, scratch }: OpenBackup, key: BackupKey, config: Config): Promise<App> {
  const dataDir = join(scratch, 'data');
  await mkdir(dataDir, { mode: 0o700 });
  const file = databaseFile(dataDir);
  await loadIntoSqlite(source, file);
  await using opened = new AsyncDisposableStack();
  const db = opened.use(await openSqlite({ file }));
  await db.migrate(migrations);
  const clock = systemClock();
  const isApart = source.manifest.body.blobs.stored === 'apart';
  const blobs: Blobs = opened.use(
    isApart ? await BackupBlobs.open(source, join(scratch, 'blobs.sqlite')) : databaseBlobs(db, clock),
  );
  const app = opened.use(await openOffline({ db, blobs, key, config: { ...config, dataDir }, clock }));
  const closing = opened.move();
  return { ...app, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
