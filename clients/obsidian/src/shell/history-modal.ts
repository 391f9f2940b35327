import type { NoteVersion } from '@notevault/protocol/notes.ts';
import { type App, Modal, Notice, Setting, type TFile } from 'obsidian';
import type { VaultSync } from '../sync/vault-sync.ts';
import { type TextKey, text, timeText } from '../texts/texts.ts';
import { errorText } from './dialogs.ts';
import { showDifference } from './difference.ts';

/** The versions of a note that the server has, what they differ by, and restoring one. */
export class HistoryModal extends Modal {
  readonly #sync: VaultSync;
  readonly #file: TFile;

  constructor(app: App, sync: VaultSync, file: TFile) {
    super(app);
    this.#sync = sync;
    this.#file = file;
  }

  override onOpen(): void {
    this.setTitle(this.#file.basename);
    void this.#show().catch((error: unknown) => this.contentEl.createEl('p', { text: errorText(error) }));
  }

  async #show(): Promise<void> {
    const note = await this.#sync.vault.readNote(this.#file.path);
    const versions = note === null ? [] : await this.#sync.vault.versionsOf(note.id);
    if (note === null || versions.length < 2) {
      this.contentEl.createEl('p', { text: text('historyEmpty') });
      return;
    }
    for (const version of versions.slice(1)) this.#version(note.id, version);
  }

  #version(id: string, { version, created_at, size_bytes }: NoteVersion): void {
    const row = new Setting(this.contentEl).setName(timeText(Date.parse(created_at))).setDesc(`${size_bytes} B`);
    const below = this.contentEl.createDiv();
    const add = (name: TextKey, act: () => Promise<void>) => {
      const told = () => act().catch((error: unknown) => new Notice(errorText(error)));
      row.addButton((button) => button.setButtonText(text(name)).onClick(told));
    };
    add('compare', async () => {
      const old = await this.#sync.vault.readVersion(id, version);
      showDifference(below, old?.content ?? '', await this.app.vault.read(this.#file));
    });
    add('restore', async () => {
      await this.#sync.vault.restoreVersion(id, version);
      new Notice(text('restored'));
      this.close();
    });
  }
}
