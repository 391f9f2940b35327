import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { backUpAsTar } from '../../src/backup/take/run-backup.ts';
import { readConfig } from '../../src/config/config.ts';
import { version } from '../../src/version.ts';
import { makeDataPlace } from '../kit/programs/data-place.ts';
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
  await using opened = new AsyncDisposableStack();
  const { env } = await makeDataPlace(engine, folder.path, opened);
  await using server = await startServe({ env });
  const contents = await fill(server.url);
  const { code, stderr } = await server.stop();
  if (code !== 0) throw new Error(`the server ended with ${code}: ${stderr}`);
  const backup = folder.at('backup.tar');
  await backUpAsTar(createWriteStream(backup), { config: readConfig(env), passphrase: null });
  await store(version, { dataDir: folder.path, url: env.NOTEVAULT_DATABASE_URL ?? null, backup, contents });
  process.stdout.write(`${engine} of ${version} is in ${folderOf(version)}\n`);
}
