import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Config } from './config/config.ts';
import { adminSocketPath, DataFolderBusy, databaseFile, lockDataFolder } from './data-folder.ts';
import { checkDataKeys, keyCensus } from './domains/keys/keys.ts';
import { systemClock } from './engines/clock/clock.ts';
import { MasterKeyring } from './engines/keyring/master-key.ts';
import { keyFile, masterKeyFor, openDatabase } from './engines.ts';

/** One thing looked at, and what came of it, in words. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly says: string;
}

/** Looks at everything a server needs before it starts, and changes nothing but what a start would change too. */
export async function* examine(config: Config): AsyncGenerator<Finding> {
  yield await examineFolder(config);
  if (config.databaseUrl === null && !existsSync(databaseFile(config.dataDir))) {
    yield { what: 'database', ok: true, says: 'not there yet; a start makes it, and a key' };
    return;
  }
  await using opened = new AsyncDisposableStack();
  if (config.databaseUrl === null) {
    try {
      opened.use(lockDataFolder(config.dataDir));
    } catch (error) {
      if (!(error instanceof DataFolderBusy)) throw error;
      const answers = await listens(adminSocketPath(config.dataDir));
      const says = answers ? 'a server runs on this data folder; stop it to have the rest looked at' : error.message;
      yield { what: 'server', ok: answers, says };
      return;
    }
  }
  const db = yield* attempt(
    'database',
    async () => opened.use(await openDatabase(config)),
    (found) => `${found.engine}, schema up to date`,
  );
  if (db === null) return;
  const clock = systemClock();
  const allow = { unfinishedRotation: false };
  const key = yield* attempt(
    'master key',
    () => masterKeyFor(config, db, clock, allow),
    (found) => `from ${found.origin}`,
  );
  if (key === null) return;
  const held = (await keyCensus(db)).reduce((sum, { keys }) => sum + keys, 0);
  const keyring = new MasterKeyring(key.bytes, clock.random);
  yield* attempt(
    'data keys',
    () => checkDataKeys(db, keyring),
    () => `all ${held} open`,
  );
}

/** A finding of something that either works or says why not; gives what it made, or null. */
async function* attempt<T>(
  what: string,
  work: () => Promise<T>,
  says: (made: T) => string,
): AsyncGenerator<Finding, T | null> {
  try {
    const made = await work();
    yield { what, ok: true, says: says(made) };
    return made;
  } catch (error) {
    yield { what, ok: false, says: error instanceof Error ? error.message : String(error) };
    return null;
  }
}

async function examineFolder(config: Config): Promise<Finding> {
  const what = 'data folder';
  const found = await stat(config.dataDir).catch(() => null);
  if (found === null) return { what, ok: true, says: `${config.dataDir} is not there yet; a start makes it` };
  if (!found.isDirectory()) return { what, ok: false, says: `${config.dataDir} is no folder` };
  if ((found.mode & 0o007) !== 0) {
    return {
      what,
      ok: false,
      says: `every user of this machine can look into ${config.dataDir}: run "chmod 700 ${config.dataDir}"`,
    };
  }
  return { what, ok: true, says: `${config.dataDir}, key file ${keyFile(config.dataDir)}` };
}

function listens(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new Socket();
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.connect(socketPath).unref();
    socket.once('connect', () => socket.destroy());
  });
}
