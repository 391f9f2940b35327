import { groupBy } from '@notevault/note-text/group-by.ts';
import { fileName, folderOf, joinPath } from '@notevault/note-text/paths.ts';
import { conflictOf } from '@notevault/sync/plan/names.ts';
import { type App, Modal, Notice, Setting, type TFile } from 'obsidian';
import type { KeptCopy } from '../sync/kept-copies.ts';
import type { VaultSync } from '../sync/vault-sync.ts';
import { text, timeText } from '../texts/texts.ts';
import { showDifference } from './difference.ts';

/** Lists the copies kept of each file: conflict copies in the vault, and files that sync replaced or deleted here. */
export class KeptModal extends Modal {
  readonly #sync: VaultSync;

  constructor(app: App, sync: VaultSync) {
    super(app);
    this.#sync = sync;
  }

  override onOpen(): void {
    this.setTitle(text('kept'));
    void this.#show();
  }

  async #show(): Promise<void> {
    const kept = groupBy(await this.#sync.disk.kept.list(), ({ path }) => conflictOf(path) ?? path);
    this.contentEl.empty();
    const conflicts = groupBy(this.#sync.status.conflicts, (path) => conflictOf(path) ?? path);
    for (const path of new Set([...conflicts.keys(), ...kept.keys()])) {
      new Setting(this.contentEl).setName(path).setHeading();
      for (const copy of conflicts.get(path) ?? []) this.#conflict(copy, path);
      for (const copy of kept.get(path) ?? []) this.#copy(copy);
    }
    if (kept.size + conflicts.size === 0) this.contentEl.createEl('p', { text: text('keptEmpty') });
  }

  #conflict(path: string, original: string): void {
    const file = this.app.vault.getFileByPath(path);
    if (file === null) return;
    const row = new Setting(this.contentEl).setName(path);
    const below = this.contentEl.createDiv();
    row.addButton((button) =>
      button.setButtonText(text('compare')).onClick(async () => {
        const there = this.app.vault.getFileByPath(original);
        showDifference(below, there === null ? '' : await this.app.vault.read(there), await this.app.vault.read(file));
      }),
    );
    row.addButton((button) =>
      button.setButtonText(text('putAway')).onClick(async () => {
        await this.#putAway(file);
        row.settingEl.remove();
        below.remove();
      }),
    );
  }

  /** A copy of it stays with the kept ones. */
  async #putAway(file: TFile): Promise<void> {
    await this.#sync.disk.kept.keep(file.path, new Uint8Array(await this.app.vault.readBinary(file)));
    await this.app.fileManager.trashFile(file);
  }

  #copy(copy: KeptCopy): void {
    const row = new Setting(this.contentEl).setName(timeText(copy.since));
    const below = this.contentEl.createDiv();
    if (/\.(md|txt|canvas|json|css)$/i.test(copy.path))
      row.addButton((button) =>
        button.setButtonText(text('compare')).onClick(async () => {
          const there = this.app.vault.getFileByPath(copy.path);
          const now = there === null ? '' : await this.app.vault.read(there);
          showDifference(below, await this.app.vault.adapter.read(copy.at), now);
        }),
      );
    row.addButton((button) =>
      button.setButtonText(text('putBack')).onClick(async () => {
        new Notice(text('putBackDone', { path: await this.#putBack(copy) }));
      }),
    );
    row.addButton((button) =>
      button.setButtonText(text('putAway')).onClick(async () => {
        await this.#sync.disk.kept.forget(copy);
        row.settingEl.remove();
        below.remove();
      }),
    );
  }

  /** Restores a copy to its original path, or beside the file there. Returns the path. */
  async #putBack({ path, at }: KeptCopy): Promise<string> {
    const { vault } = this.app;
    const bytes = await vault.adapter.readBinary(at);
    const name = fileName(path);
    const dot = name.lastIndexOf('.');
    const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    let target = path;
    for (let copy = 2; await vault.adapter.exists(target); copy++)
      target = joinPath(folderOf(path), `${stem} ${copy}${end}`);
    if (folderOf(target) !== '') await vault.adapter.mkdir(folderOf(target));
    await vault.createBinary(target, bytes);
    return target;
  }
}
