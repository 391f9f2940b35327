import { rename } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { Keys } from '../domains/foundation/keys/keys.ts';
import { keyFile, masterKeyFor, nextKeyFile, oldKeyFile, openDatabase, sharedClock } from '../open-ports.ts';
import { syncFolder } from '../ports/fsync/fsync.ts';
import { readKeyFile, writeKeyFile } from '../ports/keyring/key-file.ts';
import { MASTER_KEY_BYTES, MasterKeyring } from '../ports/keyring/master-key.ts';
import { lockDataFolder } from './data-folder.ts';

export interface RotationResult {
  readonly dataKeys: number;
  readonly masterKeyId: string;
  /** File with the previous key; null when keys come from the environment. */
  readonly oldKeyFile: string | null;
}

/**
 * Rewraps every data key under a new master key; notes stay as they are. An interrupted rotation continues at the next
 * call: the new key is written to its file before the first data key depends on it, and the old key is kept beside it.
 *
 * @param given the new master key; null creates one and stores it in the data folder.
 */
export async function rotateMasterKey(
  config: Config,
  given: Buffer | null,
  progress: (done: number) => void,
): Promise<RotationResult> {
  await using opened = new AsyncDisposableStack();
  if (config.databaseUrl === null) opened.use(lockDataFolder(config.dataDir));
  const clock = sharedClock(config);
  const db = opened.use(await openDatabase(config, clock));
  const current = await masterKeyFor(config, db, clock, { unfinishedRotation: true });
  const file = keyFile(config.dataDir);
  const nextFile = nextKeyFile(config.dataDir);
  const next = given ?? (await nextKey(nextFile, clock.random));
  const from = new MasterKeyring(current.bytes, clock.random);
  const to = new MasterKeyring(next, clock.random);
  const dataKeys = await new Keys(db, from).rewrapAll(to, progress);
  if (given !== null || config.masterKey !== null) return { dataKeys, masterKeyId: to.masterKeyId, oldKeyFile: null };
  const oldFile = oldKeyFile(config.dataDir, from.masterKeyId);
  await backUpKey(oldFile, current.bytes);
  // Renamed in one step, so that there is always a key: a start without one would ask for a backup of it.
  await rename(nextFile, file);
  await syncFolder(config.dataDir);
  return { dataKeys, masterKeyId: to.masterKeyId, oldKeyFile: oldFile };
}

/** Writes a copy of the key, unless an interrupted rotation has done so. */
async function backUpKey(file: string, key: Buffer): Promise<void> {
  if ((await readKeyFile(file)) === null) await writeKeyFile(file, key);
}

/** The key that an interrupted rotation started to use, else a new one, on disk before anything depends on it. */
async function nextKey(file: string, random: (bytes: number) => Buffer): Promise<Buffer> {
  const begun = await readKeyFile(file);
  if (begun !== null) return begun;
  const key = random(MASTER_KEY_BYTES);
  await writeKeyFile(file, key);
  return key;
}
