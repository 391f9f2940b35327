import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
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

/** Writes a new key file (0600, never over another) and resolves once it and its folder entry are on disk. */
export async function writeKeyFile(file: string, key: Buffer): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await handle.writeFile(`${key.toString('base64')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(file));
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
