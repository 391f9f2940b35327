import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KeyringError } from './keyring.ts';
import { MASTER_KEY_BYTES } from './master-key.ts';

/** A master key from its text, base64 of 32 bytes. Throws KeyringError `unusable_master_key`; `origin` names it for people. */
export function parseMasterKey(text: string, origin: string): Buffer {
  const trimmed = text.trim();
  const key = Buffer.from(trimmed, 'base64');
  if (key.length !== MASTER_KEY_BYTES || key.toString('base64').replace(/=+$/, '') !== trimmed.replace(/=+$/, '')) {
    throw new KeyringError('unusable_master_key', `${origin} must hold ${MASTER_KEY_BYTES} bytes of base64.`);
  }
  return key;
}

/** The master key in a key file, or null when there is no such file. Refuses a file that other users can read. */
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
 * Writes a new key file (0600, never over another: EEXIST) and resolves once it and its folder entry are on disk. The file
 * appears whole: a process killed meanwhile leaves no half of a key that the next start would stumble over.
 */
export async function writeKeyFile(file: string, key: Buffer): Promise<void> {
  const part = `${file}.${randomUUID()}.part`;
  try {
    const handle = await open(part, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      await handle.writeFile(`${key.toString('base64')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await appear(part, file);
  } finally {
    await rm(part, { force: true });
  }
  await syncFolder(dirname(file));
}

/** Gives the file its name in one step, unless something has that name. */
async function appear(part: string, file: string): Promise<void> {
  try {
    await link(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // A file system without hard links: the copy never replaces anything either, only a crash may cut it short.
    await copyFile(part, file, constants.COPYFILE_EXCL);
  }
}

/** Makes the entries of a folder durable, where the system can (Windows opens no folders). */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32' || !(await stat(folder)).isDirectory()) return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
