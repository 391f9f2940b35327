import { type App, Modal, Setting } from 'obsidian';
import { reasonText, type TextKey, text } from '../texts/texts.ts';
import { ConnectModal } from './connect-modal.ts';
import { askAndRequest, FirstSyncModal } from './dialogs.ts';
import { factTexts, needTexts, quotaText, stateText } from './facts-texts.ts';
import { KeptModal } from './kept-modal.ts';
import type { SyncController } from './sync-controller.ts';

/** Action that a person can choose. */
export interface Act {
  readonly name: string;
  readonly act: () => void;
}

/** Returns the actions that a person can take now. */
export function actsOf(app: App, controller: SyncController): Act[] {
  const { facts, isPaused, sync } = controller;
  const named = (key: TextKey, act: () => void): Act => ({ name: text(key), act });
  const connect = named('connect', () => new ConnectModal(app, controller).open());
  const kept = named('kept', () => sync && new KeptModal(app, sync).open());
  const answers = [
    named('brakeApprove', () => controller.request('approve')),
    named('brakePutBack', () => controller.request('put-back')),
  ];
  switch (facts.phase) {
    case 'asks':
      return [named('go', () => new FirstSyncModal(app, controller).open())];
    case 'stopped':
      return [named('tryAgain', () => void controller.open()), connect];
    case 'runs':
      return [
        ...(facts.status.brakes.length > 0 ? answers : []),
        ...(facts.status.conflicts.length > 0 ? [kept] : []),
        isPaused
          ? named('resume', () => controller.request('resume'))
          : named('pause', () => controller.request('pause')),
        named('checkAll', () => controller.request('check')),
        named('follow', () => askAndRequest(app, controller, 'follow-server')),
        named('lead', () => askAndRequest(app, controller, 'make-authoritative')),
      ];
    default:
      return [connect];
  }
}

/** A vault may have thousands of files that the server refuses. */
const NEEDS_SHOWN = 100;

/** Shows the five facts, the things that need a person, and the actions possible now. */
export class StatusModal extends Modal {
  readonly #controller: SyncController;
  #forget: () => void = () => undefined;

  constructor(app: App, controller: SyncController) {
    super(app);
    this.#controller = controller;
  }

  override onOpen(): void {
    this.#forget = this.#controller.onChange(() => this.#show());
    this.#show();
  }

  override onClose(): void {
    this.#forget();
  }

  #show(): void {
    const { facts, sync } = this.#controller;
    this.setTitle(stateText(facts));
    this.contentEl.empty();
    const list = this.contentEl.createEl('ul');
    for (const fact of factTexts(facts)) list.createEl('li', { text: fact });
    if (facts.status.isReadOnly) this.contentEl.createEl('p', { text: text('readOnly') });
    if (facts.phase === 'runs' && sync?.isConnected === false) this.contentEl.createEl('p', { text: text('polling') });
    const names = [...new Set((sync?.present ?? []).map(({ name }) => name ?? '?'))];
    if (names.length > 0) this.contentEl.createEl('p', { text: text('here', { names: names.join(', ') }) });
    if (facts.status.message !== null) this.contentEl.createEl('p', { text: reasonText(facts.status.message) });
    const full = quotaText(facts);
    if (full !== null) this.contentEl.createEl('p', { text: full });
    this.#needs();
    this.#acts();
  }

  /** Each thing that waits for a person. */
  #needs(): void {
    const needs = needTexts(this.#controller.facts);
    if (needs.length === 0) return;
    this.contentEl.createEl('p', { text: text('needsYou'), cls: 'notevault-heading' });
    const list = this.contentEl.createEl('ul');
    for (const need of needs.slice(0, NEEDS_SHOWN)) list.createEl('li', { text: need });
    const more = needs.length - NEEDS_SHOWN;
    if (more > 0) this.contentEl.createEl('p', { text: text('needsMore', { count: more }) });
  }

  #acts(): void {
    const row = new Setting(this.contentEl);
    for (const { name, act } of actsOf(this.app, this.#controller))
      row.addButton((button) => button.setButtonText(name).onClick(act));
  }
}
