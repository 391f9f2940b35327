import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, open, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../fsync/fsync.ts';
import { KeyringError } from './keyring.ts';
import { MASTER_KEY_BYTES } from './master-key.ts';

/** Parses 32 bytes in base64. Throws KeyringError `unusable_master_key`; `origin` names the source in its message. */
export function parseMasterKey(text: string, origin: string): Buffer {
  const trimmed = text.trim();
  const key = Buffer.from(trimmed, 'base64');
  if (key.length !== MASTER_KEY_BYTES || key.toString('base64').replace(/=+$/, '') !== trimmed.replace(/=+$/, '')) {
    throw new KeyringError('unusable_master_key', `${origin} must hold ${MASTER_KEY_BYTES} bytes of base64.`);
  }
  return key;
}

/** Reads the master key of a key file; null when there is no such file. Refuses a file that other users can read. */
export async function readKeyFile(file: string): Promise<Buffer | null> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new KeyringError('unusable_master_key', `The key file ${file} cannot be read.`, error);
  }
  await using _closing = handle;
  const { mode } = await handle.stat();
  if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
    throw new KeyringError(
      'unusable_master_key',
      `Other users of this machine can read the key file ${file}: run "chmod 600 ${file}", and consider rotating the key ("notevault keys rotate").`,
    );
  }
  return parseMasterKey(await handle.readFile('utf8'), `The key file ${file}`);
}

/**
 * Writes a new key file (mode 0600; EEXIST if there is one) and resolves when the file and its folder entry are on
 * disk. The file appears as a whole: if the process is killed meanwhile, the next start does not find half a key.
 */
export async function writeKeyFile(file: string, key: Buffer): Promise<void> {
  const part = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(part, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await appear(part, file);
  } finally {
    await rm(part, { force: true });
  }
  await syncFolder(dirname(file));
}

/** Renames the file in one step, unless the name is taken. */
async function appear(part: string, file: string): Promise<void> {
  try {
    await link(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // For file systems without hard links: the copy never replaces a file either, but a crash may leave it incomplete.
    await copyFile(part, file, constants.COPYFILE_EXCL);
  }
}
