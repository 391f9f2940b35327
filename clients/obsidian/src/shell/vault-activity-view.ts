import type { ActivityItem } from '@notevault/protocol/activity.ts';
import { ItemView, Setting, type WorkspaceLeaf } from 'obsidian';
import type { VaultSync } from '../sync/vault-sync.ts';
import { text, timeText } from '../texts/texts.ts';
import { changeTexts, doneText, whoText } from './activity-texts.ts';
import { accessText } from './dialogs.ts';
import { showPieces } from './difference.ts';
import type { SyncController } from './sync-controller.ts';
import { UndoModal } from './undo-modal.ts';

export const VAULT_ACTIVITY_VIEW = 'notevault-vault-activity';

/** View of what people and assistants did in the vault on the server, with differences and undo. */
export class VaultActivityView extends ItemView {
  readonly #controller: SyncController;

  constructor(leaf: WorkspaceLeaf, controller: SyncController) {
    super(leaf);
    this.#controller = controller;
  }

  override getViewType(): string {
    return VAULT_ACTIVITY_VIEW;
  }

  override getDisplayText(): string {
    return text('vaultActivity');
  }

  override getIcon(): string {
    return 'history';
  }

  override onOpen(): Promise<void> {
    return this.#show();
  }

  async #show(): Promise<void> {
    const { sync } = this.#controller;
    this.contentEl.empty();
    if (sync === null) {
      this.contentEl.createEl('p', { text: text('notConnected') });
      return;
    }
    new Setting(this.contentEl).addButton((button) =>
      button.setButtonText(text('refresh')).onClick(() => this.#show()),
    );
    await this.#page(sync, null);
  }

  async #page(sync: VaultSync, cursor: string | null): Promise<void> {
    try {
      const { items, next_cursor: next } = await sync.vault.activity(cursor === null ? {} : { cursor });
      for (const item of items) this.#item(sync, item);
      if (items.length === 0 && next === null) this.contentEl.createEl('p', { text: text('nothingYet') });
      if (next === null) return;
      const more = new Setting(this.contentEl);
      more.addButton((button) =>
        button.setButtonText(text('more')).onClick(async () => {
          more.settingEl.remove();
          await this.#page(sync, next);
        }),
      );
    } catch (error) {
      this.contentEl.createEl('p', { text: accessText(error) });
    }
  }

  #item(sync: VaultSync, item: ActivityItem): void {
    const undone = item.undone_by === null ? '' : ` · ${text('undone')}`;
    const row = new Setting(this.contentEl)
      .setName(`${whoText(item)} · ${doneText(item)}${undone}`)
      .setDesc([timeText(Date.parse(item.at)), ...item.paths].join(' · '));
    const below = this.contentEl.createDiv();
    if (item.paths.length > 0)
      row.addButton((button) => button.setButtonText(text('compare')).onClick(() => showChanges(sync, item, below)));
    if (item.undoable)
      row.addButton((button) =>
        button
          .setButtonText(text('undo'))
          .onClick(() => new UndoModal(this.app, sync, item.id, () => void this.#show()).open()),
      );
  }
}

async function showChanges({ vault }: VaultSync, { id }: ActivityItem, below: HTMLElement): Promise<void> {
  below.empty();
  try {
    for (const change of (await vault.readActivity(id))?.changes ?? []) {
      below.createEl('p', { text: changeTexts(change) });
      if (change.difference !== undefined) showPieces(below, change.difference);
    }
  } catch (error) {
    below.createEl('p', { text: accessText(error) });
  }
}
