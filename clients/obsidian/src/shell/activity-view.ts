import { ItemView, type WorkspaceLeaf } from 'obsidian';
import type { Deed } from '../sync/activity.ts';
import { reasonText, type TextKey, text, timeText } from '../texts/texts.ts';
import type { SyncController } from './sync-controller.ts';

export const ACTIVITY_VIEW = 'notevault-activity';

const DEEDS: Readonly<Record<Deed, TextKey>> = {
  created: 'created',
  changed: 'changed',
  merged: 'merged',
  moved: 'moved',
  deleted: 'deleted',
  'kept beside': 'keptBeside',
};

/** View of recent sync activity, and of files that are not synced with the reason. */
export class ActivityView extends ItemView {
  readonly #controller: SyncController;

  constructor(leaf: WorkspaceLeaf, controller: SyncController) {
    super(leaf);
    this.#controller = controller;
  }

  override getViewType(): string {
    return ACTIVITY_VIEW;
  }

  override getDisplayText(): string {
    return text('activity');
  }

  override getIcon(): string {
    return 'refresh-cw';
  }

  override async onOpen(): Promise<void> {
    this.register(this.#controller.onChange(() => this.#show()));
    this.#show();
  }

  #show(): void {
    const { sync, facts } = this.#controller;
    this.contentEl.empty();
    const { unsynced } = facts.status;
    if (unsynced.length > 0) {
      this.contentEl.createEl('p', { text: text('notSynced'), cls: 'notevault-heading' });
      const list = this.contentEl.createEl('ul');
      for (const { path, reason } of unsynced) list.createEl('li', { text: `${path} ${reasonText(reason)}` });
    }
    const happenings = sync?.activity.all ?? [];
    if (happenings.length === 0) this.contentEl.createEl('p', { text: text('nothingYet') });
    const list = this.contentEl.createEl('ul');
    for (const { at, direction, deed, path, reason } of happenings) {
      const what = `${timeText(at)} · ${text(direction)} · ${text(DEEDS[deed])} · ${path}`;
      list.createEl('li', { text: reason === null ? what : `${what}: ${reasonText(reason)}` });
    }
  }
}
