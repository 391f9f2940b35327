import { fileName } from '@notevault/note-text/paths.ts';
import { DiskChanged, type DiskFile, DiskRefused } from '@notevault/sync/engine/ports.ts';
import { withSuffix } from '@notevault/sync/plan/names.ts';
import type { App } from 'obsidian';
import { reason } from '../texts/reasons/en.ts';
import type { FileFacts } from './file-facts.ts';
import type { KeptCopies } from './kept-copies.ts';
import type { VaultFiles } from './vault-files.ts';
import type { VaultListing } from './vault-listing.ts';
import type { LocalStorage } from './write-journal.ts';

/** A file that gets another path. @property temp where it is in between */
interface ExchangedPath {
  readonly from: string;
  readonly to: string;
  readonly temp: string;
}

/** @property placed how many files may have their new paths */
interface BegunExchange {
  readonly files: readonly ExchangedPath[];
  readonly placed: number;
}

export interface PathExchangeOptions {
  readonly app: App;
  readonly facts: FileFacts;
  readonly files: VaultFiles;
  readonly kept: KeptCopies;
  readonly listing: VaultListing;
  readonly folderId: string;
  /** Renames a file and leaves links as they are. */
  readonly rename: (from: string, to: string) => Promise<void>;
  /** Returns an unused file name. */
  readonly newName: () => string;
}

/**
 * Exchanges the paths of files. Meanwhile the files have temporary names at the top of the vault, which the listing
 * leaves out, because the app drops files that it does not show. The next start undoes an interrupted exchange.
 */
export class PathExchange {
  readonly #options: PathExchangeOptions;
  readonly #storage: LocalStorage;
  readonly #key: string;

  constructor(options: PathExchangeOptions) {
    this.#options = options;
    this.#storage = options.app;
    this.#key = `notevault-exchange-${options.folderId}`;
  }

  /** Undoes exchanges that were interrupted when the app was killed. */
  async recover(): Promise<void> {
    const begun = this.#storage.loadLocalStorage(this.#key) as BegunExchange | null;
    if (begun !== null) await this.#undo(begun);
  }

  /** Throws DiskChanged when a file is not as expected or a path is taken; then all are where they were. */
  async run(moves: readonly { readonly from: DiskFile; readonly to: string }[]): Promise<DiskFile[]> {
    const { files: vault, listing, newName } = this.#options;
    // Not in their folders, of which some may give their paths to files.
    const between = (path: string) => withSuffix(fileName(path), `(moving ${newName().slice(-8)})`);
    const files = moves.map(({ from: { path }, to }) => ({ from: path, to, temp: between(path) }));
    let placed = 0;
    this.#note({ files, placed });
    try {
      for (const [at, { from, temp }] of files.entries()) {
        await vault.requireListed(moves[at]?.from as DiskFile);
        await this.#move(from, temp);
      }
      for (const { temp, to } of files) {
        placed += 1;
        this.#note({ files, placed });
        await this.#place(temp, to);
      }
    } catch (error) {
      await this.#undo({ files, placed });
      throw error;
    }
    this.#end();
    for (const { from } of files) listing.listed.delete(from);
    return moves.map(({ from, to }) => vault.shown(to, from.size, from.mtimeMs, from));
  }

  #note(begun: BegunExchange): void {
    for (const { temp } of begun.files) this.#options.listing.between.add(temp);
    this.#storage.saveLocalStorage(this.#key, begun);
  }

  #end(): void {
    this.#options.listing.between.clear();
    this.#storage.saveLocalStorage(this.#key, null);
  }

  async #move(from: string, to: string): Promise<void> {
    await this.#options.rename(from, to);
    this.#options.facts.moved(from, to);
  }

  async #place(temp: string, to: string): Promise<void> {
    const { files } = this.#options;
    await this.#removeEmptyFolder(to);
    if (!(await files.isFree(to))) throw new DiskChanged(to);
    await files.makeParents(to);
    await this.#move(temp, to);
  }

  /** Removes a folder that has only empty folders; throws DiskRefused for one with files, which are not synced. */
  async #removeEmptyFolder(path: string): Promise<void> {
    const { adapter } = this.#options.app.vault;
    if ((await adapter.stat(path))?.type !== 'folder') return;
    const { files, folders } = await adapter.list(path);
    if (files.length > 0) throw new DiskRefused(reason('folderStays'));
    for (const folder of folders) await this.#removeEmptyFolder(folder);
    await adapter.rmdir(path, false);
  }

  /** Gives the files their former paths. One whose path is taken meanwhile gets the new one, or is kept as a copy. */
  async #undo({ files, placed }: BegunExchange): Promise<void> {
    const { app, files: vault, kept } = this.#options;
    for (const { to, temp } of files.slice(0, placed))
      if ((await vault.isFree(temp)) && !(await vault.isFree(to))) await this.#move(to, temp);
    for (const { from, to, temp } of files) {
      if (await vault.isFree(temp)) continue;
      if (await vault.isFree(from)) await this.#place(temp, from);
      else if (await vault.isFree(to)) await this.#place(temp, to);
      else {
        await kept.keep(from, new Uint8Array(await app.vault.adapter.readBinary(temp)));
        await app.vault.adapter.remove(temp);
      }
    }
    this.#end();
  }
}
