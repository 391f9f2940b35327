import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import type { Config } from '../../config/config.ts';
import { databaseFile } from '../../data/data-folder.ts';
import { migrations } from '../../data/migrations.ts';
import type { Blobs } from '../../ports/blobs/blobs.ts';
import { databaseBlobs } from '../../ports/blobs/database.ts';
import { type Clock, systemClock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import { openSqlite } from '../../ports/database/sqlite/sqlite.ts';
import { openOffline } from '../verify/check-with.ts';
import { BackupBlobs } from './backup-blobs.ts';
import { loadIntoSqlite } from './load-sqlite.ts';
import type { BackupKey, OpenBackup } from './open-backup.ts';

/** The data of a backup in its scratch folder. What is written to it is lost with that. */
export interface BackupCopy extends AsyncDisposable {
  readonly dataDir: string;
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
}

/** Loads a backup into its scratch folder at the latest schema. Throws SchemaError for one of a newer version. */
async function openCopy(backup: OpenBackup): Promise<BackupCopy> {
  const dataDir = join(backup.scratch, 'data');
  await mkdir(dataDir, { mode: 0o700 });
  const file = databaseFile(dataDir);
  await loadIntoSqlite(backup.source, file);
  await using opened = new AsyncDisposableStack();
  const db = opened.use(await openSqlite({ file }));
  await db.migrate(migrations);
  const clock = systemClock();
  const isApart = backup.source.manifest.body.blobs.stored === 'apart';
  const blobs: Blobs = opened.use(
    isApart ? await BackupBlobs.open(backup.source, join(backup.scratch, 'blobs.sqlite')) : databaseBlobs(db, clock),
  );
  const closing = opened.move();
  return { dataDir, db, blobs, clock, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** Opens a copy as a service, to read single vaults from it. */
export async function openCopyApp(backup: OpenBackup, key: BackupKey, config: Config): Promise<App> {
  await using opened = new AsyncDisposableStack();
  const copy = opened.use(await openCopy(backup));
  const app = opened.use(await openOffline({ ...copy, key, config: { ...config, dataDir: copy.dataDir } }));
  const closing = opened.move();
  return { ...app, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
