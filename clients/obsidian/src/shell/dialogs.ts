import { LinkRefused } from '@notevault/client/device-link.ts';
import type { Http } from '@notevault/client/transport.ts';
import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import type { DeviceStarted } from '@notevault/protocol/devices.ts';
import { type App, Modal, Notice, Setting } from 'obsidian';
import { connect, isOpenToAll, originOf } from '../sync/connect.ts';
import { reasonText, type TextKey, text } from '../texts/texts.ts';
import { brakeText, factTexts, quotaText, stateText } from './facts-texts.ts';
import type { SyncController } from './sync-controller.ts';

/** An error as a person is told it. */
export function errorText(error: unknown): string {
  if (error instanceof ConnectionError || (error as Error).name === 'ServerUnreachable')
    return text('unreachable', { reason: reasonText((error as Error).message) });
  if (error instanceof LinkRefused || error instanceof ApiError) return text('refused', { reason: error.message });
  return reasonText(error instanceof Error ? error.message : String(error));
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

/** Links this device: the address, then the code that a person approves on the server’s page. */
export class ConnectModal extends Modal {
  readonly #controller: SyncController;
  readonly #http: Http;
  readonly #end = new AbortController();
  #address: string;

  constructor(app: App, controller: SyncController, http: Http) {
    super(app);
    this.#controller = controller;
    this.#http = http;
    this.#address = controller.connection?.url ?? '';
  }

  override onOpen(): void {
    this.setTitle(text('connect'));
    const said = this.contentEl.createEl('p');
    new Setting(this.contentEl)
      .setName(text('address'))
      .setDesc(text('addressHint'))
      .addText((field) =>
        field.setValue(this.#address).onChange((value) => {
          this.#address = value;
          const origin = originOf(value);
          said.setText(origin !== null && isOpenToAll(origin) ? text('openHttp') : '');
        }),
      );
    new Setting(this.contentEl).addButton((button) =>
      button
        .setButtonText(text('connect'))
        .setCta()
        .onClick(() => this.#begin(said)),
    );
  }

  override onClose(): void {
    this.#end.abort();
  }

  async #begin(said: HTMLElement): Promise<void> {
    const origin = originOf(this.#address);
    if (origin === null) return said.setText(text('addressWrong'));
    try {
      const { connection, tokens } = await connect({
        ...{ origin, http: this.#http, signal: this.#end.signal },
        deviceName: this.#controller.deviceName,
        vaultName: this.app.vault.getName(),
        show: (started) => this.#showCode(started),
      });
      await this.#controller.connected(connection, tokens);
      new Notice(text('connected', { vault: connection.vaultName }));
      if (!this.#controller.isStored) new Notice(text('notStored'));
      this.close();
      if (this.#controller.facts.phase === 'asks') new FirstSyncModal(this.app, this.#controller).open();
    } catch (error) {
      if (!this.#end.signal.aborted) said.setText(errorText(error));
    }
  }

  #showCode({ user_code, verification_uri_complete }: DeviceStarted): void {
    this.contentEl.empty();
    this.setTitle(text('approve'));
    this.contentEl.createEl('p', { text: text('approveHint') });
    this.contentEl.createEl('p', { text: user_code, cls: 'notevault-code' });
    const page = this.contentEl.createEl('p');
    page.createEl('a', { text: text('openPage'), href: verification_uri_complete });
    this.contentEl.createEl('p', { text: text('waiting') });
  }
}

/** What the first sync would do, before it does anything. */
export class FirstSyncModal extends Modal {
  readonly #controller: SyncController;

  constructor(app: App, controller: SyncController) {
    super(app);
    this.#controller = controller;
  }

  override onOpen(): void {
    this.setTitle(text('firstTitle'));
    void this.#look();
  }

  async #look(): Promise<void> {
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

/** Something that a person can have done. */
export interface Act {
  readonly name: string;
  readonly act: () => void;
}

/** What a person can have done now. */
export function actsOf(app: App, controller: SyncController): Act[] {
  const { facts, isPaused } = controller;
  const named = (key: TextKey, act: () => void): Act => ({ name: text(key), act });
  if (facts.phase === 'asks') return [named('go', () => new FirstSyncModal(app, controller).open())];
  const answers = [
    named('brakeApprove', () => controller.request('approve')),
    named('brakePutBack', () => controller.request('put-back')),
  ];
  const acts = [
    isPaused ? named('resume', () => controller.request('resume')) : named('pause', () => controller.request('pause')),
    named('checkAll', () => controller.request('check')),
    named('follow', () => askAndRequest(app, controller, 'follow-server')),
    named('lead', () => askAndRequest(app, controller, 'make-authoritative')),
  ];
  const isOpen = facts.phase === 'runs' || facts.phase === 'stopped';
  return [...(facts.status.brakes.length > 0 ? answers : []), ...(isOpen ? acts : [])];
}

/** The five facts, what needs a person, and the three acts. */
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
    for (const brake of facts.status.brakes) this.contentEl.createEl('p', { text: brakeText(brake) });
    this.#acts();
  }

  #acts(): void {
    const row = new Setting(this.contentEl);
    for (const { name, act } of actsOf(this.app, this.#controller))
      row.addButton((button) => button.setButtonText(name).onClick(act));
  }
}
