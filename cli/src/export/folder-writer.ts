import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nameFault } from '@notevault/note-text/file-names.ts';
import { CliError } from '../error-messages.ts';

const ON_WINDOWS = {
  character: 'has a character that Windows files cannot have',
  end: 'ends in a dot or space, which Windows files cannot',
  device: 'is the name of a device on Windows',
};

/** Returns why a path cannot be a file on this system; null when it can. */
export function unwritable(path: string, platform: NodeJS.Platform = process.platform): string | null {
  for (const name of path.split('/')) {
    // Vault paths have no such names; on disk they would lead out of the folder.
    if (name === '' || name === '.' || name === '..' || name.includes('\0')) return 'is not a path within the folder';
    if (platform !== 'win32') continue;
    const fault = nameFault(name);
    if (fault !== null) return `"${name}" ${ON_WINDOWS[fault.kind]}`;
  }
  return null;
}

/** Creates the folder. Throws if it is not empty and `overwrite` is false. */
export async function prepareFolder(folder: string, overwrite: boolean): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (!overwrite && (await readdir(folder)).length > 0) {
    throw new CliError(`${folder} is not empty: choose another folder, or use --overwrite to replace files in it.`);
  }
}

/** Writes files below a folder. Each file is renamed into place once it is complete and its hash matches. */
export class FolderWriter {
  readonly #root: string;
  /** Folders known to exist and not to be links. */
  readonly #made = new Map<string, Promise<void>>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Writes a file. Throws CliError if the bytes do not match the hash; the previous file then stays. */
  async write(path: string, bytes: AsyncIterable<Uint8Array>, told: { hash: string; mtime: number }): Promise<void> {
    const target = join(this.#root, path);
    await this.makeFolder(dirname(path));
    const part = join(dirname(target), `.notevault-export-${randomBytes(8).toString('hex')}`);
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
    const file = await open(part, flags, 0o644);
    try {
      const hash = createHash('sha256');
      for await (const piece of bytes) {
        hash.update(piece);
        for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten;
      }
      if (hash.digest('hex') !== told.hash) throw new CliError('the received bytes do not match the vault’s hash');
      await file.utimes(told.mtime, told.mtime);
      await file.close();
      // If the target is a link, the link is replaced, not the file it points to.
      await rename(part, target);
    } catch (error) {
      await file.close().catch(() => undefined);
      await rm(part, { force: true });
      throw error;
    }
  }

  /** Creates a folder and its parents. Throws CliError if a link or file has one of the paths. */
  makeFolder(path: string): Promise<void> {
    if (path === '.' || path === '') return Promise.resolve();
    let made = this.#made.get(path);
    if (made === undefined) {
      made = this.#make(path);
      this.#made.set(path, made);
    }
    return made;
  }

  async #make(path: string): Promise<void> {
    await this.makeFolder(dirname(path));
    const folder = join(this.#root, path);
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    // Files must not be written through a link to another folder.
    if (!(await lstat(folder)).isDirectory()) throw new CliError(`${path} exists already and is not a folder`);
  }
}
