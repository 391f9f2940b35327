import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config/config.ts';
import { databaseFile } from './data-folder.ts';
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

export const keyFile = (dataDir: string) => join(dataDir, 'master.key');
/** The key that a rotation puts data under, until all of it is. */
export const nextKeyFile = (dataDir: string) => join(dataDir, 'master.key.new');

/** Opens what the configuration names: data folder, database at the latest schema, master key. */
export async function openEngines(config: Config, clock: Clock = systemClock()): Promise<Engines> {
  const db = await openDatabase(config);
  try {
    const key = await masterKeyFor(config, db, clock, { unfinishedRotation: false });
    const keyring = new MasterKeyring(key.bytes, clock.random);
    return {
      ...{ db, keyring, clock, keyOrigin: key.origin, madeKey: key.made },
      [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
    };
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
}

/** The configured database, at the latest schema. */
export async function openDatabase(config: Config): Promise<Database> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const db =
    config.databaseUrl === null
      ? await openSqlite({ file: databaseFile(config.dataDir) })
      : await openPostgres({ url: config.databaseUrl.reveal(), poolSize: config.databasePool });
  try {
    await db.migrate(migrations);
    return db;
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
}

/** A master key and where it is from, for people. */
interface FoundKey {
  readonly bytes: Buffer;
  readonly origin: string;
  readonly made: boolean;
}

/**
 * The master key that fits the database: the configured one, or the key file's. A key is made only for a database that
 * holds no keys yet. Throws KeyringError when it is missing, wrong, or only a part of the data keys is under it.
 *
 * @param allow `unfinishedRotation`: some data keys may be under a newer master key already.
 */
export async function masterKeyFor(
  config: Config,
  db: Database,
  clock: Clock,
  allow: { unfinishedRotation: boolean },
): Promise<FoundKey> {
  const census = await keyCensus(db);
  const found = await givenKey(config);
  if (found === null) {
    if (census.length > 0) throw new KeyringError('unusable_master_key', missingKey(config, census));
    return makeKey(keyFile(config.dataDir), clock);
  }
  const { masterKeyId } = new MasterKeyring(found.bytes, clock.random);
  const others = census.filter((held) => held.masterKeyId !== masterKeyId);
  if (others.length > 0) {
    const begun = others.length < census.length || (await isUnderNextKey(config, others, clock));
    if (!begun) throw new KeyringError('wrong_master_key', wrongKey(found.origin, masterKeyId, census));
    if (!allow.unfinishedRotation) throw new KeyringError('wrong_master_key', CUT_SHORT);
  }
  return { ...found, made: false };
}

const CUT_SHORT =
  'A key rotation was cut short: some data is under the new master key already. Run "notevault keys rotate" again to finish it.';

/** Whether a rotation had got all data under the key it had made, but was cut short before it put that key in its place. */
async function isUnderNextKey(
  config: Config,
  census: readonly { masterKeyId: string }[],
  clock: Clock,
): Promise<boolean> {
  const next = config.masterKey === null ? await readKeyFile(nextKeyFile(config.dataDir)) : null;
  if (next === null) return false;
  const { masterKeyId } = new MasterKeyring(next, clock.random);
  return census.every((held) => held.masterKeyId === masterKeyId);
}

/** Several processes may start on one empty database and data folder at once: all take the key that is there first. */
async function makeKey(file: string, clock: Clock): Promise<FoundKey> {
  const bytes = clock.random(MASTER_KEY_BYTES);
  try {
    await writeKeyFile(file, bytes);
    return { bytes, origin: file, made: true };
  } catch (error) {
    const theirs = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await readKeyFile(file) : null;
    if (theirs === null) throw error;
    return { bytes: theirs, origin: file, made: false };
  }
}

async function givenKey(config: Config): Promise<Omit<FoundKey, 'made'> | null> {
  if (config.masterKey !== null) return { bytes: config.masterKey.reveal(), origin: 'NOTEVAULT_MASTER_KEY' };
  const file = keyFile(config.dataDir);
  const bytes = await readKeyFile(file);
  return bytes === null ? null : { bytes, origin: file };
}

function wrongKey(origin: string, masterKeyId: string, census: readonly { masterKeyId: string }[]): string {
  const needed = census.map((held) => held.masterKeyId).join(', ');
  return `The data is sealed under master key ${needed}, but ${origin} holds ${masterKeyId}. Nothing was changed: put the right key there.`;
}

function missingKey(config: Config, census: readonly { masterKeyId: string }[]): string {
  const needed = census.map(({ masterKeyId }) => masterKeyId).join(', ');
  return (
    `The database holds data sealed under master key ${needed}, but neither NOTEVAULT_MASTER_KEY nor ` +
    `${keyFile(config.dataDir)} is there. Put the key back from its backup: without it the data cannot be read, and no ` +
    'new key is made beside it.'
  );
}
