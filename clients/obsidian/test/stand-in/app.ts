import type { App } from 'obsidian';
import { Device } from './device.ts';
import { Events } from './events.ts';
import { FileManager, MetadataCache } from './metadata.ts';
import { network } from './network.ts';
import { useDevice } from './platform.ts';
import type { Manifest, Plugin } from './plugin.ts';
import { Vault } from './vault.ts';
import { Workspace } from './workspace.ts';

/** Memory that phones have for a base64 string in the app's 256 MiB heap: 5 MiB are safe, 16 MiB are not. */
const HEAP_BYTES = 16 * 1024 * 1024;

/** The app on a device (api: App). Killed and started again, only the device is the same. */
export class StandInApp {
  readonly device: Device;
  readonly vault: Vault;
  readonly workspace: Workspace;
  readonly metadataCache: MetadataCache;
  readonly fileManager: FileManager;
  readonly secretStorage: SecretStorage;
  readonly protocolHandlers = new Map<string, (data: Record<string, string>) => unknown>();
  readonly plugins: Plugin[] = [];
  isDead = false;

  constructor(device = new Device()) {
    this.device = device;
    this.vault = new Vault(device);
    this.workspace = new Workspace(this);
    this.metadataCache = new MetadataCache(this.vault);
    this.fileManager = new FileManager(this.vault);
    this.secretStorage = new SecretStorage(device);
    useDevice(device);
    network.mostBytes = device.platform === 'android' ? HEAP_BYTES : Number.POSITIVE_INFINITY;
    network.crash = () => this.kill();
  }

  /** The app as a plugin has it in its types. */
  get asApp(): App {
    return this as unknown as App;
  }

  /** Loads a plugin as at the start of the app, or when a person enables it. */
  async enable<Kind extends Plugin>(
    kind: new (app: never, manifest: never) => unknown,
    manifest: Manifest,
  ): Promise<Kind> {
    const plugin = new kind(this as never, manifest as never) as Kind;
    this.plugins.push(plugin);
    plugin.load();
    if (this.workspace.layoutReady) plugin.onUserEnable();
    return plugin;
  }

  disable(plugin: Plugin): void {
    this.plugins.splice(this.plugins.indexOf(plugin), 1);
    plugin.unload();
  }

  /** Starts as the app does: plugins first, then `create` for every file, then the layout is ready. */
  start(): void {
    this.vault.scan();
    this.workspace.becomeReady();
  }

  /** Ends as the system ends an app: nothing is unloaded, and what is under way never reaches the disk. */
  kill(): void {
    this.isDead = true;
    this.vault.stop();
  }

  loadLocalStorage(key: string): unknown {
    return JSON.parse(this.device.localStorage.get(key) ?? 'null');
  }

  saveLocalStorage(key: string, data: unknown): void {
    if (this.isDead) return;
    if (data === null) this.device.localStorage.delete(key);
    else this.device.localStorage.set(key, JSON.stringify(data));
  }
}

/**
 * Secrets of this vault on this device, shared by all its plugins; nothing deletes one, an empty value takes its place
 * (api: SecretStorage; doc: "Store secrets").
 */
class SecretStorage extends Events {
  readonly #device: Device;

  constructor(device: Device) {
    super();
    this.#device = device;
  }

  setSecret(id: string, secret: string): void {
    if (!/^[a-z0-9-]+$/.test(id)) throw new Error(`${id}: lower-case letters, digits and dashes only`);
    this.#device.secrets.set(id, secret);
    this.trigger('change', id);
  }

  getSecret(id: string): string | null {
    return this.#device.secrets.get(id) ?? null;
  }

  listSecrets(): string[] {
    return [...this.#device.secrets.keys()];
  }
}
