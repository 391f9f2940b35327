import { ancestorsOf, folderOf } from '@notevault/note-text/paths.ts';
import { DiskChanged, type DiskFile, DiskRefused } from '@notevault/sync/engine/ports.ts';
import type { App } from 'obsidian';
import { reason } from '../texts/reasons/en.ts';
import type { FileFacts } from './file-facts.ts';
import type { VaultListing } from './vault-listing.ts';

/** Single files of the vault as they are on the disk, and as they were listed. */
export class VaultFiles {
  readonly #app: App;
  readonly #facts: FileFacts;
  readonly #listing: VaultListing;

  constructor(app: App, facts: FileFacts, listing: VaultListing) {
    this.#app = app;
    this.#facts = facts;
    this.#listing = listing;
  }

  /** Returns all bytes of a file; null when it is no longer as expected. Throws DiskRefused for one that may not be read. */
  async readBytes(file: DiskFile): Promise<Uint8Array | null> {
    const { adapter } = this.#app.vault;
    const at = this.#listing.onDisk(file.path);
    const bytes = await adapter.readBinary(at).catch((error: unknown) => {
      if (isDenied(error)) throw new DiskRefused(reason('unreadable'), { cause: error, isDenied: true });
      return null;
    });
    const stat = bytes === null ? null : await adapter.stat(at).catch(() => null);
    if (bytes === null || stat === null || stat.mtime !== file.mtimeMs) return null;
    if (bytes.byteLength === file.size) return new Uint8Array(bytes);
    // The size that was told is not the true one, which the next listing then has.
    this.#facts.proved(file.path, stat.mtime, bytes.byteLength);
    return null;
  }

  async isFree(path: string): Promise<boolean> {
    return !(await this.#app.vault.adapter.exists(this.#listing.onDisk(path)));
  }

  async requireListed(file: DiskFile): Promise<void> {
    const stat = await this.#app.vault.adapter.stat(this.#listing.onDisk(file.path));
    const now = stat?.type === 'file' ? this.shown(file.path, stat.size, stat.mtime, file) : null;
    // A size of 0 says nothing.
    if (now === null || now.mtimeMs !== file.mtimeMs || (now.size !== file.size && stat?.size !== 0))
      throw new DiskChanged(file.path);
  }

  /** Returns the bytes of a file that is to be replaced. */
  async expected(file: DiskFile): Promise<Uint8Array> {
    const bytes = await this.readBytes(file);
    if (bytes === null) throw new DiskChanged(file.path);
    return bytes;
  }

  /**
   * Returns the listing of a file that was just written. @param mtime what its disk told before it was seen that the
   * bytes are there
   */
  given(path: string, size: number, mtime: number): DiskFile {
    this.#facts.proved(path, mtime, size);
    this.#listing.suspect(path);
    const file = this.#app.vault.getFileByPath(path);
    if (file !== null) this.#facts.replaced(file);
    return this.shown(path, size, mtime);
  }

  shown(path: string, size: number, mtime: number, before?: DiskFile): DiskFile {
    const file = this.#app.vault.getFileByPath(path);
    const shown = this.#facts.known(path, { mtime, size }, file) ?? {
      ...{ path, size, mtimeMs: mtime, ctimeMs: null },
      fileId: before?.fileId ?? null,
    };
    this.#listing.listed.set(path, shown);
    return shown;
  }

  async makeParents(path: string): Promise<void> {
    const { adapter } = this.#app.vault;
    const folder = folderOf(this.#listing.onDisk(path));
    if (folder === '' || (await adapter.exists(folder))) return;
    const taken = ancestorsOf(path).some((at) => this.#app.vault.getFileByPath(at) !== null);
    if (taken) throw new DiskChanged(path);
    await adapter.mkdir(folder);
  }
}

/** Returns whether the system denies something to this user, as it may on desktops. */
export function isDenied(error: unknown): boolean {
  return error instanceof Error && /^(?:EACCES|EPERM)\b/.test(error.message);
}
