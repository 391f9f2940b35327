import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { backUpAsTar } from '../../src/backup/take/run-backup.ts';
import { readConfig } from '../../src/config/config.ts';
import { version } from '../../src/version.ts';
import { freshPostgres } from '../kit/database/postgres.ts';
import { Folder, startServe } from '../kit/programs/process.ts';
import { folderOf, store } from './data-set.ts';
import { fill } from './fill.ts';

/*
 * npm run release:data [-- --replace]
 *
 * Makes the data set of this version, on both engines, which every later version must open and restore. Run it once for each
 * release, after the last change of the schema; the set of a released version is never made again.
 */

if (existsSync(folderOf(version))) {
  if (!process.argv.includes('--replace')) {
    throw new Error(`${version} has its data set. If it is not released yet, make it again with --replace.`);
  }
  rmSync(folderOf(version), { recursive: true });
}
for (const engine of ['sqlite', 'postgres'] as const) {
  using folder = new Folder();
  await using postgres = engine === 'postgres' ? await freshPostgres() : null;
  const database = postgres === null ? {} : { NOTEVAULT_DATABASE_URL: postgres.url };
  const env = { NOTEVAULT_DATA_DIR: folder.path, NOTEVAULT_LOG_LEVEL: 'error', ...database };
  await using server = await startServe({ env });
  const contents = await fill(server.url);
  const { code, stderr } = await server.stop();
  if (code !== 0) throw new Error(`the server ended with ${code}: ${stderr}`);
  const backup = folder.at('backup.tar');
  await backUpAsTar(createWriteStream(backup), { config: readConfig(env), passphrase: null });
  await store(version, { dataDir: folder.path, url: postgres?.url ?? null, backup, contents });
  process.stdout.write(`${engine} of ${version} is in ${folderOf(version)}\n`);
}
