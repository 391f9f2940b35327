import type { Extension } from '@codemirror/state';
import { Notice, Platform, Plugin } from 'obsidian';
import { runAppChecks } from './app-checks/run-checks.ts';
import { ACTIVITY_VIEW, ActivityView } from './shell/activity-view.ts';
import { ConnectModal } from './shell/connect-modal.ts';
import { askAndRequest, FirstSyncModal } from './shell/dialogs.ts';
import { endText, quotaText, stateText } from './shell/facts-texts.ts';
import { HistoryModal } from './shell/history-modal.ts';
import { KeptModal } from './shell/kept-modal.ts';
import { LiveSession } from './shell/live-session.ts';
import { type PluginData, pluginData } from './shell/plugin-data.ts';
import { SearchModal } from './shell/search-modal.ts';
import { SettingsTab } from './shell/settings-tab.ts';
import { statusMenu } from './shell/status-menu.ts';
import { StatusModal } from './shell/status-modal.ts';
import { SyncController } from './shell/sync-controller.ts';
import { TrashModal } from './shell/trash-modal.ts';
import { VAULT_ACTIVITY_VIEW, VaultActivityView } from './shell/vault-activity-view.ts';
import { warningsOf } from './shell/warnings.ts';
import { appClock, sleep } from './sync/app-clock.ts';
import { deviceId } from './sync/device.ts';
import { appHttp } from './sync/http.ts';
import type { VaultSync } from './sync/vault-sync.ts';
import { type TextKey, text } from './texts/texts.ts';

/** Settings that are typed are used once nobody types any more. */
const TYPED_MS = 2000;
/** A scratch folder for the checks in the app: hidden folders are never synced, but have no events either. */
const SCRATCH = 'notevault checks';

/** The plugin, as the app loads it: it registers what it does, and nothing else happens before the layout is ready. */
export default class NotevaultPlugin extends Plugin {
  readonly controller: SyncController = new SyncController({
    ...{ app: this.app, clock: appClock, indexedDb: window.indexedDB },
    http: (url, request) => this.#http(url, request),
    data: () => this.#data,
    save: (data) => this.#save(data),
    live: (sync, connection) =>
      LiveSession.open({
        ...{ app: this.app, sync, connection, deviceId: deviceId(this.app) },
        deviceName: this.controller.deviceName,
        ...{ indexedDb: window.indexedDB, extensions: this.#extensions },
      }),
  });
  /** Editor extensions that are active while notes are edited live. */
  readonly #extensions: Extension[] = [];
  #data: PluginData = pluginData(null);
  #typed = 0;
  readonly #http = appHttp();

  override onload(): void {
    this.registerView(ACTIVITY_VIEW, (leaf) => new ActivityView(leaf, this.controller));
    this.registerView(VAULT_ACTIVITY_VIEW, (leaf) => new VaultActivityView(leaf, this.controller));
    this.addSettingTab(
      new SettingsTab(this, {
        controller: this.controller,
        data: () => this.#data,
        change: (data) => this.#change(data),
        connect: () => this.#connect(),
      }),
    );
    this.registerEditorExtension(this.#extensions);
    this.#addStatus();
    this.#addCommands();
    this.app.workspace.onLayoutReady(() => this.#begin());
    this.register(() => void this.controller.close());
  }

  override onUserEnable(): void {
    if (this.controller.connection === null) this.#connect();
  }

  /** Settings came from another device. */
  override async onExternalSettingsChange(): Promise<void> {
    this.#data = pluginData(await this.loadData());
    await this.controller.open();
  }

  async #begin(): Promise<void> {
    this.#data = pluginData(await this.loadData());
    // Phones end what is out of sight; on desktops it goes on.
    if (Platform.isMobile)
      this.registerDomEvent(window.document, 'visibilitychange', () => {
        void (window.document.visibilityState === 'hidden' ? this.controller.hide() : this.controller.show());
      });
    await this.controller.open();
    if (this.controller.connection === null) return;
    for (const warning of await warningsOf(this.app)) new Notice(warning);
    if (this.controller.facts.phase === 'asks') new FirstSyncModal(this.app, this.controller).open();
    if (this.controller.facts.phase === 'signed out') new Notice(text('signedOut'));
    if (this.controller.facts.phase === 'other vault') new Notice(text('otherVault'));
  }

  async #save(data: PluginData): Promise<void> {
    this.#data = data;
    await this.saveData(data);
  }

  async #change(data: Partial<PluginData>): Promise<void> {
    await this.#save({ ...this.#data, ...data });
    window.clearTimeout(this.#typed);
    this.#typed = window.setTimeout(() => void this.controller.open(), TYPED_MS);
  }

  #connect(): void {
    new ConnectModal(this.app, this.controller).open();
  }

  #addStatus(): void {
    const item = this.addStatusBarItem();
    let isFull = false;
    let ended: string | null = null;
    const show = () => {
      const { facts } = this.controller;
      item.setText(`Notevault: ${stateText(facts)}`);
      const full = quotaText(facts);
      if (full !== null && !isFull) new Notice(full);
      isFull = full !== null;
      // Phones have no status bar, and a sync that ended does not begin again by itself.
      const end = endText(facts);
      if (end !== null && end !== ended) new Notice(end, 0);
      ended = end;
    };
    this.register(this.controller.onChange(show));
    show();
    this.registerDomEvent(item, 'click', () => new StatusModal(this.app, this.controller).open());
    this.addRibbonIcon('refresh-cw', text('open'), (event) => {
      if (this.controller.connection === null) return this.#connect();
      const others = [
        ['status', () => this.#open()] as const,
        ['activity', () => this.#show(ACTIVITY_VIEW)] as const,
        ['vaultActivity', () => this.#show(VAULT_ACTIVITY_VIEW)] as const,
      ];
      statusMenu(this.app, this.controller, others).showAtMouseEvent(event);
    });
  }

  #open(): void {
    if (this.controller.connection === null) this.#connect();
    else new StatusModal(this.app, this.controller).open();
  }

  #addCommands(): void {
    const add = (id: string, name: TextKey, act: () => unknown) =>
      this.addCommand({ id, name: text(name), callback: () => void act() });
    const withSync = (act: (sync: VaultSync) => unknown) => () => {
      const { sync } = this.controller;
      if (sync === null) this.#open();
      else act(sync);
    };
    add('connect', 'connect', () => this.#connect());
    add('status', 'status', () => this.#open());
    add('pause', 'pause', () => this.controller.request('pause'));
    add('resume', 'resume', () => this.controller.request('resume'));
    add('check-everything', 'checkAll', () => this.controller.request('check'));
    add('follow-server', 'follow', () => askAndRequest(this.app, this.controller, 'follow-server'));
    add('lead', 'lead', () => askAndRequest(this.app, this.controller, 'make-authoritative'));
    add('activity', 'activity', () => this.#show(ACTIVITY_VIEW));
    add(
      'vault-activity',
      'vaultActivity',
      withSync(() => this.#show(VAULT_ACTIVITY_VIEW)),
    );
    add(
      'trash',
      'trash',
      withSync((sync) => new TrashModal(this.app, sync).open()),
    );
    add(
      'kept',
      'kept',
      withSync((sync) => new KeptModal(this.app, sync).open()),
    );
    add(
      'search',
      'search',
      withSync((sync) => new SearchModal(this.app, sync).open()),
    );
    add(
      'history',
      'history',
      withSync((sync) => this.#showHistory(sync)),
    );
    this.addCommand({
      id: 'check-app',
      name: text('appCheck'),
      checkCallback: (isChecking) => {
        if (!this.#data.hasChecks) return false;
        if (!isChecking) void this.#checkApp();
        return true;
      },
    });
  }

  async #show(type: string): Promise<void> {
    const leaf = this.app.workspace.getLeaf(true);
    await leaf.setViewState({ type, active: true });
  }

  #showHistory(sync: VaultSync): void {
    const file = this.app.workspace.getActiveFile();
    if (file?.extension === 'md') new HistoryModal(this.app, sync, file).open();
    else new Notice(text('noNote'));
  }

  /** The folder is synced by nobody: sync rests meanwhile, and it is gone afterwards. */
  async #checkApp(): Promise<void> {
    const said = new Notice(text('checksRunning'), 0);
    await this.controller.close();
    try {
      const results = await runAppChecks(this.app, SCRATCH, (ms) => sleep(ms));
      const failed = results.filter(({ failure }) => failure !== null);
      const lines = results.map(
        ({ name, failure }) => `${failure === null ? 'ok  ' : 'FAIL'} ${name}${failure === null ? '' : `: ${failure}`}`,
      );
      await window.navigator.clipboard.writeText(lines.join('\n'));
      said.setMessage(text('checksDone', { failed: failed.length, count: results.length }));
    } finally {
      await this.controller.open();
    }
  }
}
