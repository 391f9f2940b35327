import { ancestorsOf, foldPath, numberedPath } from '@notevault/note-text/paths.ts';
import type { OpenVault } from '../../content/vaults/vaults.ts';
import type { ImportDeps } from './imports.ts';

/** The occupant of a path: a folder, or a file with its hash (null for a file that this import has planned). */
type Occupant = { readonly hash: string | null } | 'folder';

/** The destination of a file: a free path, or a path that already has the same bytes. */
export interface Placement {
  readonly path: string;
  readonly exists: boolean;
}

/** Tries before a name is given up; a name that is taken so often is a fault of the archive. */
const TRIES = 1000;

/** The taken paths of a vault during an import, compared without case and Unicode form. */
export class Destination {
  readonly #taken = new Map<string, Occupant>();

  static async of({ cache, notes, attachments, folders }: ImportDeps, vault: OpenVault): Promise<Destination> {
    const found = new Destination();
    await cache.snapshot(vault, async (snapshot) => {
      for (const { path, hash } of await (await snapshot.rows(notes.cache)).sorted()) found.add(path, hash);
      for (const { path, hash } of await (await snapshot.rows(attachments.cache)).sorted()) found.add(path, hash);
      for (const { name } of await folders.listAt(snapshot.handle, vault)) found.#taken.set(foldPath(name), 'folder');
    });
    return found;
  }

  /** Records a file and its folders. */
  add(path: string, hash: string): void {
    this.#taken.set(foldPath(path), { hash });
    for (const folder of ancestorsOf(path)) this.#taken.set(foldPath(folder), 'folder');
  }

  /** Whether something is at the path, which decides whether the hash of a file is needed. */
  isTaken(path: string): boolean {
    return this.#taken.has(foldPath(path));
  }

  /** Finds the path of a file: its own, or one with a number; null where a file has the place of a folder. */
  place(path: string, hash: string): Placement | null {
    if (ancestorsOf(path).some((folder) => this.#isFile(folder))) return null;
    for (let number = 1; number <= TRIES; number++) {
      const candidate = numberedPath(path, number);
      const occupant = this.#taken.get(foldPath(candidate));
      if (occupant === undefined) return { path: candidate, exists: false };
      if (occupant !== 'folder' && occupant.hash === hash) return { path: candidate, exists: true };
    }
    return null;
  }

  #isFile(path: string): boolean {
    const occupant = this.#taken.get(foldPath(path));
    return occupant !== undefined && occupant !== 'folder';
  }
}
