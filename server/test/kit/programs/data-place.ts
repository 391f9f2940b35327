import { databaseFile } from '../../../src/data/data-folder.ts';
import { keyFile } from '../../../src/open-ports.ts';
import { readKeyFile } from '../../../src/ports/keyring/key-file.ts';
import { MasterKeyring } from '../../../src/ports/keyring/master-key.ts';
import { checkConsistency } from '../database/consistency-check.ts';
import { freshPostgres } from '../database/postgres.ts';
import { openRaw } from '../database/raw-sql.ts';
import type { EngineName } from './run.ts';

/** Where the processes of a server keep its data: a folder, and on PostgreSQL a new database. */
export async function makeDataPlace(engine: EngineName, dataDir: string, opened: AsyncDisposableStack) {
  const postgres = engine === 'postgres' ? opened.use(await freshPostgres()) : null;
  const url = postgres === null ? {} : { NOTEVAULT_DATABASE_URL: postgres.url };
  /** The argument of `openRaw`. */
  const database = postgres ?? { file: databaseFile(dataDir) };
  return {
    env: { NOTEVAULT_DATA_DIR: dataDir, NOTEVAULT_LOG_LEVEL: 'error', ...url },
    database,
    /** Returns everything that does not fit together, in words. */
    async inconsistencies(): Promise<string[]> {
      await using raw = await openRaw(database);
      const key = await readKeyFile(keyFile(dataDir));
      if (key === null) return ['the key file is gone'];
      return await checkConsistency(raw, new MasterKeyring(key, () => Buffer.alloc(0)));
    },
  };
}
