import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { givenKey, oldKeyHelp } from '../../open-ports.ts';
import { type Keyring, KeyringError } from '../../ports/keyring/keyring.ts';
import { MasterKeyring } from '../../ports/keyring/master-key.ts';
import { unwrapKey } from '../../ports/keyring/wrapped-key.ts';
import { BackupDamaged, BackupError, MANIFEST_FILE, type Manifest } from '../format.ts';
import { makeScratch } from '../scratch.ts';
import { hmacOf } from '../take/take-backup.ts';
import { type BackupSource, openBackupFolder } from './source.ts';
import { unpackTar } from './unpack.ts';

/** An opened backup, with a scratch folder for data restored from it. */
export interface OpenBackup extends AsyncDisposable {
  readonly source: BackupSource;
  /** Removed on disposal. */
  readonly scratch: string;
}

/**
 * Opens a backup: the newest in a folder of backups, the folder of one, or a tar file, which is unpacked.
 * @param scratchIn where to make the temporary folder, if not where others are.
 */
export async function openBackup(path: string, scratchIn?: string): Promise<OpenBackup> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new BackupError(`There is no backup at ${path}.`);
  await using opened = new AsyncDisposableStack();
  const { path: scratch } = opened.use(await makeScratch(scratchIn));
  const source = found.isDirectory() ? await openBackupFolder(path) : await unpacked(path, scratch);
  const closing = opened.move();
  return { source, scratch, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

async function unpacked(file: string, scratch: string): Promise<BackupSource> {
  await unpackTar(file, scratch);
  return await openBackupFolder(scratch);
}

/** Reads every byte of a backup. Throws BackupDamaged for the first file that is not as it was written. */
export async function checkHashes(source: BackupSource, progress: (bytes: number) => void): Promise<void> {
  let done = 0;
  let last = '';
  for await (const { kind, object } of source.objects()) {
    // Equal pieces follow each other in empty parts of a file.
    if (object.hash === last) continue;
    last = object.hash;
    for await (const piece of source.bytes(kind, object)) done += piece.length;
    progress(done);
  }
}

/** The master key of a backup, and where it was found. */
export type BackupKey = NonNullable<Awaited<ReturnType<typeof givenKey>>>;

/**
 * Finds the master key of a backup: under the passphrase, in the environment or the data folder; null without one.
 * Throws KeyringError for another key, and BackupDamaged for a manifest that was written without the key.
 */
export async function keyOfBackup(source: BackupSource, config: Config, passphrase: string | null) {
  const key = await findKey(source.manifest, config, passphrase);
  if (key === null) return null;
  const keyring = keyringOf(key);
  const { body, hmac } = source.manifest;
  if (keyring.masterKeyId !== body.master_key_id) {
    const help = oldKeyHelp(config.dataDir, [body.master_key_id]) ?? 'give the right one as NOTEVAULT_MASTER_KEY.';
    throw new KeyringError(
      'wrong_master_key',
      `The backup is sealed under master key ${body.master_key_id}, but ${key.origin} holds ${keyring.masterKeyId}: ${help}`,
    );
  }
  if (hmacOf(keyring)(JSON.stringify(body)).toString('hex') !== hmac) {
    throw new BackupDamaged(join(source.folder, source.name, MANIFEST_FILE), 'was not written with the master key');
  }
  return key;
}

function keyringOf({ bytes }: BackupKey): Keyring {
  // Nothing is sealed with it.
  return new MasterKeyring(bytes, () => Buffer.alloc(0));
}

async function findKey({ body }: Manifest, config: Config, passphrase: string | null): Promise<BackupKey | null> {
  if (passphrase !== null) {
    if (body.key === null) throw new BackupError('The backup has no master key, so a passphrase has no use.');
    return { bytes: await unwrapKey(body.key, passphrase), origin: 'the backup' };
  }
  return givenKey(config);
}
