import type { ActivityUndone } from '@notevault/protocol/activity.ts';
import { type App, Modal, Notice, Setting } from 'obsidian';
import type { VaultSync } from '../sync/vault-sync.ts';
import { text } from '../texts/texts.ts';
import { changeTexts, leftText } from './activity-texts.ts';
import { accessText } from './dialogs.ts';
import { showPieces } from './difference.ts';

/** Maximum number of left entries that are listed. */
const LEFT_MAX = 20;

/** Shows what undoing an activity item would change and leave, and undoes it on request. */
export class UndoModal extends Modal {
  readonly #sync: VaultSync;
  readonly #item: string;
  readonly #done: () => void;

  constructor(app: App, sync: VaultSync, item: string, done: () => void) {
    super(app);
    this.#sync = sync;
    this.#item = item;
    this.#done = done;
  }

  override onOpen(): void {
    this.setTitle(text('undoTitle'));
    void this.#preview().catch((error: unknown) => this.contentEl.createEl('p', { text: accessText(error) }));
  }

  async #preview(): Promise<void> {
    const plan = await this.#sync.vault.undoActivity(this.#item, true);
    const { changes = [] } = plan;
    this.contentEl.createEl('p', { text: text(changes.length === 0 ? 'undoNothing' : 'undoHint') });
    for (const change of changes) {
      this.contentEl.createEl('p', { text: changeTexts(change) });
      if (change.difference !== undefined) showPieces(this.contentEl.createDiv(), change.difference);
    }
    this.#more(plan.undone - changes.length);
    this.#left(plan);
    const row = new Setting(this.contentEl);
    if (changes.length > 0)
      row.addButton((button) =>
        button
          .setButtonText(text('undo'))
          .setCta()
          .onClick(() => this.#undo()),
      );
    row.addButton((button) => button.setButtonText(text('cancel')).onClick(() => this.close()));
  }

  #left({ left }: ActivityUndone): void {
    if (left.length === 0) return;
    this.contentEl.createEl('p', { text: text('undoLeft'), cls: 'notevault-heading' });
    const list = this.contentEl.createEl('ul');
    for (const entry of left.slice(0, LEFT_MAX)) list.createEl('li', { text: leftText(entry) });
    this.#more(left.length - LEFT_MAX);
  }

  #more(count: number): void {
    if (count > 0) this.contentEl.createEl('p', { text: text('needsMore', { count }) });
  }

  async #undo(): Promise<void> {
    try {
      const { left } = await this.#sync.vault.undoActivity(this.#item);
      new Notice(left.length === 0 ? text('undoDone') : text('undoDoneLeft', { count: left.length }));
      this.close();
      this.#done();
    } catch (error) {
      new Notice(accessText(error));
    }
  }
}
