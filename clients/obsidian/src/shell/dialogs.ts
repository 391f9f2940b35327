import { LinkRefused } from '@notevault/client/device-link.ts';
import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import { type App, Modal, Setting } from 'obsidian';
import { reasonText, type TextKey, text } from '../texts/texts.ts';
import type { SyncController } from './sync-controller.ts';

/** Returns an error as a person is told it. */
export function errorText(error: unknown): string {
  if (error instanceof ConnectionError || (error as Error).name === 'ServerUnreachable')
    return text('unreachable', { reason: reasonText((error as Error).message) });
  if (error instanceof LinkRefused) return text(error.message === 'access_denied' ? 'codeRefused' : 'codeExpired');
  if (error instanceof ApiError) return text('refused', { reason: error.message });
  return reasonText(error instanceof Error ? error.message : String(error));
}

/** Returns an error of a request that viewers may not make as a person is told it. */
export function accessText(error: unknown): string {
  return error instanceof ApiError && error.status === 403 ? text('editorsOnly') : errorText(error);
}

/** Asks whether to do something that is not easily undone. */
export class AskModal extends Modal {
  readonly #question: string;
  readonly #answer: string;
  readonly #done: () => unknown;

  constructor(app: App, question: string, answer: string, done: () => unknown) {
    super(app);
    this.#question = question;
    this.#answer = answer;
    this.#done = done;
  }

  override onOpen(): void {
    this.contentEl.createEl('p', { text: this.#question });
    new Setting(this.contentEl)
      .addButton((button) =>
        button
          .setButtonText(this.#answer)
          .setCta()
          .onClick(() => {
            this.close();
            void this.#done();
          }),
      )
      .addButton((button) => button.setButtonText(text('cancel')).onClick(() => this.close()));
  }
}

/** Modal that previews the first sync before it starts. */
export class FirstSyncModal extends Modal {
  readonly #controller: SyncController;

  constructor(app: App, controller: SyncController) {
    super(app);
    this.#controller = controller;
  }

  override onOpen(): void {
    this.setTitle(text('firstTitle'));
    void this.#preview();
  }

  async #preview(): Promise<void> {
    const said = this.contentEl.createEl('p', { text: text('firstLooking') });
    try {
      const seen = await this.#controller.foresee();
      said.setText((await this.#controller.isStateLost()) ? text('firstLost') : '');
      const list = this.contentEl.createEl('ul');
      const line = (key: TextKey, count: number) => list.createEl('li', { text: text(key, { count }) });
      line('firstEqual', seen?.equal ?? 0);
      line('firstSent', seen?.sent ?? 0);
      line('firstFetched', seen?.fetched ?? 0);
      line('firstMerged', seen?.merged ?? 0);
      line('firstBeside', seen?.keptBeside ?? 0);
      this.#answers();
    } catch (error) {
      said.setText(errorText(error));
    }
  }

  #answers(): void {
    const answer = (label: TextKey, act: () => void) => {
      this.close();
      act();
      return label;
    };
    new Setting(this.contentEl)
      .addButton((button) =>
        button
          .setButtonText(text('go'))
          .setCta()
          .onClick(() => answer('go', () => this.#controller.begin())),
      )
      .addButton((button) =>
        button.setButtonText(text('follow')).onClick(() => {
          answer('follow', () => askAndRequest(this.app, this.#controller, 'follow-server'));
        }),
      )
      .addButton((button) => button.setButtonText(text('cancel')).onClick(() => this.close()));
  }
}

/** Asks, and then makes one side the only one that counts. */
export function askAndRequest(app: App, controller: SyncController, control: 'follow-server' | 'make-authoritative') {
  const question = text(control === 'follow-server' ? 'followAsk' : 'leadAsk');
  new AskModal(app, question, text('doIt'), () => controller.request(control)).open();
}
