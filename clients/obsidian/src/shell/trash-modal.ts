import type { TrashItem } from '@notevault/protocol/trash.ts';
import { type App, Modal, Notice, Setting } from 'obsidian';
import type { VaultSync } from '../sync/vault-sync.ts';
import { text, timeText } from '../texts/texts.ts';
import { whoText } from './activity-texts.ts';
import { accessText } from './dialogs.ts';

/** Lists the deleted notes and files that the server keeps, and restores them. */
export class TrashModal extends Modal {
  readonly #sync: VaultSync;

  constructor(app: App, sync: VaultSync) {
    super(app);
    this.#sync = sync;
  }

  override onOpen(): void {
    this.setTitle(text('trash'));
    void this.#page(null);
  }

  async #page(cursor: string | null): Promise<void> {
    try {
      const { items, next_cursor: next } = await this.#sync.vault.trash(cursor);
      for (const item of items) this.#item(item);
      if (items.length === 0 && cursor === null) this.contentEl.createEl('p', { text: text('trashEmpty') });
      if (next === null) return;
      const more = new Setting(this.contentEl);
      more.addButton((button) =>
        button.setButtonText(text('more')).onClick(async () => {
          more.settingEl.remove();
          await this.#page(next);
        }),
      );
    } catch (error) {
      this.contentEl.createEl('p', { text: accessText(error) });
    }
  }

  #item(item: TrashItem): void {
    const row = new Setting(this.contentEl)
      .setName(item.path)
      .setDesc(`${timeText(Date.parse(item.deleted_at))} · ${whoText(item)}`);
    row.addButton((button) =>
      button.setButtonText(text('putBack')).onClick(async () => {
        try {
          const { note, attachment } = await this.#sync.vault.restoreFromTrash(item.id);
          new Notice(text('trashRestored', { path: (note ?? attachment)?.path ?? item.path }));
          row.settingEl.remove();
        } catch (error) {
          new Notice(accessText(error));
        }
      }),
    );
  }
}
