import { foldPath } from '@notevault/note-text/paths.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { Clock, DiskFile, DiskListing } from '@notevault/sync/engine/ports.ts';
import type { IgnoreRules } from '@notevault/sync/rules/ignore-rules.ts';
import { structureFault } from '@notevault/sync/rules/safe-path.ts';
import { SETTINGS_FOLDER, type SettingsFiles } from '@notevault/sync/rules/settings-files.ts';
import { normalizePath, type TFile, TFolder, type Vault } from 'obsidian';
import { reason } from '../texts/reasons/en.ts';
import type { FileFacts } from './file-facts.ts';

export interface ListingOptions {
  readonly vault: Vault;
  readonly clock: Clock;
  readonly facts: FileFacts;
  readonly rules: IgnoreRules;
  readonly settings: SettingsFiles;
  /** The largest file that is synced; null for any. */
  readonly bytesMax: number | null;
}

/** Maximum files with recent events that each listing checks on the disk. */
const SUSPECTS_MAX = 512;
/** Files are looked at together up to this number, so that no single task keeps the app waiting. */
const AT_ONCE = 500;
const FOLDERS_AT_ONCE = 20;

/** Lists the files of the vault: as the app knows them, and hidden ones of its settings. */
export class VaultListing {
  readonly #options: ListingOptions;
  /** By path; what was there the last time, and with what this plugin has done since. */
  readonly listed = new Map<string, DiskFile>();
  /** Names that files have while they exchange their paths. */
  readonly between = new Set<string>();
  /** Files that are too large, with their sizes, by folded path. */
  readonly #large = new Map<string, number>();
  /** Files that were written a while ago: the app can miss what others write to them, see PathLocks. */
  readonly #suspects = new Set<string>();
  /** Files that the disk has and the app does not know. */
  #strangers: readonly string[] = [];

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  isTooLarge(path: string): boolean {
    return this.#large.has(foldPath(path));
  }

  /** Makes the next listings check a file on the disk itself. */
  suspect(path: string): void {
    this.#suspects.delete(path);
    this.#suspects.add(path);
    const [oldest] = this.#suspects;
    if (this.#suspects.size > SUSPECTS_MAX && oldest !== undefined) this.#suspects.delete(oldest);
  }

  async list(): Promise<DiskListing> {
    const { vault, settings } = this.#options;
    const files = new Map<string, DiskFile>();
    const skipped: { path: string; reason: string }[] = [];
    this.#large.clear();
    let looked = 0;
    for (const file of vault.getFiles()) {
      const path = normalizePath(file.path);
      const stat = this.#suspects.has(path) ? await vault.adapter.stat(file.path) : file.stat;
      if (stat !== null) await this.#add(files, skipped, path, stat, file);
      looked += 1;
      if (looked % AT_ONCE === 0) await this.#options.clock.sleep(0);
    }
    for (const path of this.#strangers) await this.#addByAdapter(files, skipped, path);
    if (settings.includes(SETTINGS_FOLDER, 'folder'))
      await this.#walkSettings(vault.configDir, (path) => this.#addByAdapter(files, skipped, path));
    // The app may not know yet, or not any more, what is on the disk: only that says what is gone.
    for (const path of this.listed.keys()) {
      if (!files.has(path) && !this.#isOut(path)) await this.#addByAdapter(files, skipped, path);
    }
    this.listed.clear();
    for (const [path, file] of files) this.listed.set(path, file);
    return { files: [...files.values()], folders: this.#folders(), skipped, isPartial: false };
  }

  /** Looks for files that the app was never told of. */
  async findStrangers(): Promise<void> {
    const { vault, clock } = this.#options;
    const found: string[] = [];
    let looked = 0;
    const walk = async (folder: string): Promise<void> => {
      looked += 1;
      if (looked % FOLDERS_AT_ONCE === 0) await clock.sleep(0);
      const { files, folders } = await vault.adapter.list(folder);
      for (const file of files.map(normalizePath))
        if (!isHidden(file) && vault.getAbstractFileByPath(file) === null) found.push(file);
      for (const inner of folders.map(normalizePath)) if (!isHidden(inner)) await walk(inner);
    };
    await walk('/');
    this.#strangers = found;
  }

  /** Returns the path on the disk: the app’s own folder may have another name. */
  onDisk(path: string): string {
    const { configDir } = this.#options.vault;
    return path.startsWith(`${SETTINGS_FOLDER}/`) ? configDir + path.slice(SETTINGS_FOLDER.length) : path;
  }

  #isOut(path: string): boolean {
    return this.#options.rules.isIgnored(path, 'file') || this.isTooLarge(path);
  }

  async #add(
    files: Map<string, DiskFile>,
    skipped: { path: string; reason: string }[],
    path: string,
    stat: TFile['stat'],
    file: TFile | null,
  ): Promise<void> {
    const { facts, rules, bytesMax } = this.#options;
    if ((file !== null && isHidden(path)) || this.between.has(path) || rules.isIgnored(path, 'file')) return;
    const fault = structureFault(path);
    if (fault !== null) return void skipped.push({ path, reason: fault });
    const shown = facts.known(path, stat, file) ?? (await facts.of(path, stat, file));
    if (bytesMax !== null && shown.size > bytesMax) {
      this.#large.set(foldPath(path), shown.size);
      skipped.push({ path, reason: tooLarge(shown.size, bytesMax) });
      return;
    }
    files.set(path, shown);
  }

  async #addByAdapter(
    files: Map<string, DiskFile>,
    skipped: { path: string; reason: string }[],
    path: string,
  ): Promise<void> {
    const { vault } = this.#options;
    const at = this.onDisk(path);
    if (files.has(path) || !(await vault.adapter.exists(at, true))) return;
    const stat = await vault.adapter.stat(at);
    if (stat?.type === 'file') await this.#add(files, skipped, path, stat, null);
  }

  async #walkSettings(folder: string, found: (path: string) => Promise<void>): Promise<void> {
    const { vault, settings } = this.#options;
    const inVault = (at: string) => SETTINGS_FOLDER + normalizePath(at).slice(vault.configDir.length);
    if (!(await vault.adapter.exists(folder))) return;
    const { files, folders } = await vault.adapter.list(folder);
    for (const file of files.map(inVault)) if (settings.includes(file, 'file')) await found(file);
    for (const inner of folders)
      if (settings.includes(inVault(inner), 'folder')) await this.#walkSettings(inner, found);
  }

  #folders(): string[] {
    const { vault, rules } = this.#options;
    return vault
      .getAllLoadedFiles()
      .filter((file) => file instanceof TFolder)
      .map(({ path }) => normalizePath(path))
      .filter((path) => path !== '/' && !isHidden(path) && !rules.isIgnored(path, 'folder'));
  }
}

export function isHidden(path: string): boolean {
  return path.startsWith('.') || path.includes('/.');
}

/** Why a file stays out, as the rest of a sentence that begins with its path. */
export function tooLarge(size: number, most: number): string {
  return reason('large', { size: Math.ceil(size / MB), most: Math.floor(most / MB) });
}
