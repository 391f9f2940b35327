import type { DeviceStarted } from '@notevault/protocol/devices.ts';
import { type App, Modal, Notice, Setting } from 'obsidian';
import { addressOf, connect, disconnect, isOpenToAll } from '../sync/connect.ts';
import { text } from '../texts/texts.ts';
import { errorText, FirstSyncModal } from './dialogs.ts';
import type { SyncController } from './sync-controller.ts';

type Connection = Awaited<ReturnType<typeof connect>>;

/**
 * Dialog that links this device: asks for the address, then shows the code that a person approves on the server’s page.
 */
export class ConnectModal extends Modal {
  readonly #controller: SyncController;
  readonly #end = new AbortController();
  #address: string;
  /** Connection to another vault, until the user decides whether it replaces the current one. */
  #undecided: Connection | null = null;

  constructor(app: App, controller: SyncController) {
    super(app);
    this.#controller = controller;
    this.#address = controller.connection?.url ?? '';
  }

  override onOpen(): void {
    this.#showForm('');
  }

  override onClose(): void {
    this.#end.abort();
    if (this.#undecided === null) return;
    const { connection, tokens } = this.#undecided;
    void disconnect(connection.url, tokens, this.#controller.http).catch(() => undefined);
  }

  /** @param fault reason why the last attempt failed */
  #showForm(fault: string): void {
    this.contentEl.empty();
    this.setTitle(text('connect'));
    const said = this.contentEl.createEl('p', { text: fault });
    new Setting(this.contentEl)
      .setName(text('address'))
      .setDesc(text('addressHint'))
      .addText((field) =>
        field.setValue(this.#address).onChange((value) => {
          this.#address = value;
          const address = addressOf(value);
          said.setText(address !== null && isOpenToAll(address) ? text('openHttp') : '');
        }),
      );
    new Setting(this.contentEl).addButton((button) =>
      button
        .setButtonText(text('connect'))
        .setCta()
        .onClick(() => this.#begin(said)),
    );
  }

  async #begin(said: HTMLElement): Promise<void> {
    const address = addressOf(this.#address);
    if (address === null) return said.setText(text('addressWrong'));
    await this.#attempt(async () => {
      const linked = await connect({
        ...{ address, http: this.#controller.http, signal: this.#end.signal },
        deviceName: this.#controller.deviceName,
        vaultName: this.app.vault.getName(),
        show: (started) => this.#showCode(started),
      });
      if (await this.#controller.isOther(linked.connection)) this.#askToReplace(linked);
      else await this.#take(linked);
    });
  }

  /** Runs an action, and shows the reason of a failure with the form for another attempt. */
  async #attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!this.#end.signal.aborted) this.#showForm(errorText(error));
    }
  }

  async #take(linked: Connection): Promise<void> {
    this.#undecided = null;
    const { connection, tokens } = linked;
    await this.#controller.connected(connection, tokens);
    new Notice(text('connected', { vault: connection.vaultName }));
    if (!this.#controller.isStored) new Notice(text('notStored'));
    this.close();
    if (this.#controller.facts.phase === 'asks') new FirstSyncModal(this.app, this.#controller).open();
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

  /** Asks before the sync state with another vault is discarded. */
  #askToReplace(linked: Connection): void {
    this.#undecided = linked;
    this.contentEl.empty();
    this.setTitle(text('connect'));
    this.contentEl.createEl('p', { text: text('replaceAsk', { vault: linked.connection.vaultName }) });
    new Setting(this.contentEl)
      .addButton((button) =>
        button
          .setButtonText(text('replace'))
          .setCta()
          .onClick(() => this.#attempt(() => this.#take(linked))),
      )
      .addButton((button) => button.setButtonText(text('cancel')).onClick(() => this.close()));
  }
}
