import type { StandInApp } from './app.ts';
import { Component } from './component.ts';
import { StandInElement } from './element.ts';

export interface Manifest {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly minAppVersion?: string;
}

export interface Command {
  readonly id: string;
  readonly name: string;
  callback?(): unknown;
  checkCallback?(isChecking: boolean): boolean | undefined;
}

/** A plugin as the app loads it (api: Plugin). */
export abstract class Plugin extends Component {
  readonly app: StandInApp;
  readonly manifest: Manifest;
  readonly commands = new Map<string, Command>();
  readonly settingTabs: PluginSettingTab[] = [];
  readonly statusBarItems: StandInElement[] = [];
  readonly ribbonIcons: {
    readonly title: string;
    readonly click: (event: unknown) => unknown;
    readonly el: StandInElement;
  }[] = [];

  constructor(app: StandInApp, manifest: Manifest) {
    super();
    this.app = app;
    this.manifest = manifest;
  }

  addCommand(command: Command): Command {
    this.commands.set(command.id, command);
    return command;
  }

  removeCommand(id: string): void {
    this.commands.delete(id);
  }

  addSettingTab(tab: PluginSettingTab): void {
    this.settingTabs.push(tab);
  }

  addRibbonIcon(_icon: string, title: string, click: (event: unknown) => unknown): StandInElement {
    const el = new StandInElement('button');
    this.ribbonIcons.push({ title, click, el });
    return el;
  }

  /** Adds an item to the status bar, which phones do not have (api: addStatusBarItem). */
  addStatusBarItem(): StandInElement {
    const el = new StandInElement();
    if (!this.app.device.isMobile) this.statusBarItems.push(el);
    return el;
  }

  registerEditorExtension(extension: unknown): void {
    this.app.workspace.addExtension(extension);
    this.register(() => this.app.workspace.removeExtension(extension));
  }

  registerView(type: string, create: (leaf: never) => unknown): void {
    this.app.workspace.registerView(type, create as never);
    this.register(() => this.app.workspace.unregisterView(type));
  }

  registerObsidianProtocolHandler(action: string, handler: (data: Record<string, string>) => unknown): void {
    this.app.protocolHandlers.set(action, handler);
    this.register(() => this.app.protocolHandlers.delete(action));
  }

  /** `data.json` in the plugin's folder, which another sync may bring from another device (api: loadData). */
  async loadData(): Promise<unknown> {
    const path = this.#dataPath;
    if (!(await this.app.vault.adapter.exists(path))) return null;
    return JSON.parse(await this.app.vault.adapter.read(path));
  }

  async saveData(data: unknown): Promise<void> {
    const path = this.#dataPath;
    await this.app.vault.adapter.mkdir(path.slice(0, path.lastIndexOf('/')));
    await this.app.vault.adapter.write(path, JSON.stringify(data, undefined, 2));
  }

  onUserEnable(): void {}

  get #dataPath(): string {
    return `${this.app.vault.configDir}/plugins/${this.manifest.id}/data.json`;
  }
}

export abstract class PluginSettingTab {
  readonly app: StandInApp;
  readonly plugin: Plugin;
  readonly containerEl = new StandInElement();

  constructor(app: StandInApp, plugin: Plugin) {
    this.app = app;
    this.plugin = plugin;
  }

  display(): void {}

  hide(): void {}
}
