import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config/config.ts';
import { keyCensus } from './domains/keys/keys.ts';
import { type Clock, systemClock } from './engines/clock/clock.ts';
import type { Database } from './engines/database/database.ts';
import { openPostgres } from './engines/database/postgres.ts';
import { openSqlite } from './engines/database/sqlite.ts';
import { readKeyFile, writeKeyFile } from './engines/keyring/key-file.ts';
import { type Keyring, KeyringError } from './engines/keyring/keyring.ts';
import { MASTER_KEY_BYTES, MasterKeyring } from './engines/keyring/master-key.ts';
import { migrations } from './migrations.ts';

/** The ports of a process, opened. Closing them flushes and releases everything. */
export interface Engines extends AsyncDisposable {
  readonly db: Database;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** Where the master key came from, for people. */
  readonly keyOrigin: string;
  /** Whether this start made the master key. */
  readonly madeKey: boolean;
}

export const databaseFile = (dataDir: string) => join(dataDir, 'notevault.sqlite');
export const keyFile = (dataDir: string) => join(dataDir, 'master.key');

/** Opens what the configuration names: data folder, database at the latest schema, master key. */
export async function openEngines(config: Config, clock: Clock = systemClock()): Promise<Engines> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const db =
    config.databaseUrl === null
      ? await openSqlite({ file: databaseFile(config.dataDir) })
      : await openPostgres({ url: config.databaseUrl.reveal(), poolSize: config.databasePool });
  try {
    await db.migrate(migrations);
    const key = await masterKeyOf(config, db, clock);
    const keyring = new MasterKeyring(key.bytes, clock.random);
    return {
      db,
      keyring,
      clock,
      keyOrigin: key.origin,
      madeKey: key.made,
      [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
    };
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
}

/** The configured master key, or the key file's. A key is made only for a database that holds no keys yet. */
async function masterKeyOf(config: Config, db: Database, clock: Clock) {
  const census = await keyCensus(db);
  if (config.masterKey !== null) {
    return { bytes: config.masterKey.reveal(), origin: 'NOTEVAULT_MASTER_KEY', made: false };
  }
  const file = keyFile(config.dataDir);
  const found = await readKeyFile(file);
  if (found !== null) return { bytes: found, origin: file, made: false };
  if (census.length > 0) {
    const needed = census.map(({ masterKeyId }) => masterKeyId).join(', ');
    throw new KeyringError(
      'unusable_master_key',
      `The database holds data sealed under master key ${needed}, but neither NOTEVAULT_MASTER_KEY nor ${file} is there. ` +
        'Put the key back from its backup: without it the data cannot be read, and no new key is made beside it.',
    );
  }
  const bytes = clock.random(MASTER_KEY_BYTES);
  await writeKeyFile(file, bytes);
  return { bytes, origin: file, made: true };
}
