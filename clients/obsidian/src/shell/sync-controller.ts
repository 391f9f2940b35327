import type { DeviceTokens } from '@notevault/client/tokens.ts';
import type { Http } from '@notevault/client/transport.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { Clock } from '@notevault/sync/engine/ports.ts';
import type { Control } from '@notevault/sync/run/run-once.ts';
import { NO_STATUS, type SyncStatus } from '@notevault/sync/run/sync-status.ts';
import { type App, Platform } from 'obsidian';
import { CopyStore, copiesOf } from '../live/copy-store.ts';
import type { Foreseen } from '../sync/activity.ts';
import { type Connection, disconnect } from '../sync/connect.ts';
import { deviceId, readMarker, removeMarker } from '../sync/device.ts';
import { IdbStore } from '../sync/idb-store.ts';
import { SignIn } from '../sync/sign-in.ts';
import { VaultSync } from '../sync/vault-sync.ts';
import type { PluginData } from './plugin-data.ts';

export interface ControllerOptions {
  readonly app: App;
  readonly http: Http;
  readonly clock: Clock;
  readonly indexedDb: IDBFactory;
  data(): PluginData;
  save(data: PluginData): Promise<void>;
  /** Begins to edit notes live, with what syncs. */
  live?(sync: VaultSync, connection: Connection): Promise<Live>;
}

/** The live notes of a session. */
interface Live {
  /** Resolves once the server has what was typed, or cannot be reached; after a while in any case. */
  sent(): Promise<void>;
  close(): void;
}

/** Phase of the plugin, before, during and after syncing. */
export type Phase = 'not connected' | 'other vault' | 'signed out' | 'asks' | 'runs' | 'stopped';

/** Five facts, at one glance. */
export interface Facts {
  readonly phase: Phase;
  readonly status: SyncStatus;
  /** Number of items that need a person's attention. */
  readonly needs: number;
}

/** Minimum interval between updates of the display, in milliseconds. */
const SHOWN_MS = 100;
const PAUSED = 'notevault-paused';

/** Whether this device is connected, and what its sync does; what it shows asks here. */
export class SyncController {
  readonly #options: ControllerOptions;
  readonly #signIn: SignIn;
  readonly #listeners = new Set<() => void>();
  #sync: VaultSync | null = null;
  #live: Live | null = null;
  #phase: Phase = 'not connected';
  #soon: number | null = null;
  /** Queue that runs one phase change at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#signIn = new SignIn(options.app.secretStorage, 'sync');
  }

  get sync(): VaultSync | null {
    return this.#sync;
  }

  get connection(): Connection | null {
    return this.#options.data().connection;
  }

  get http(): Http {
    return this.#options.http;
  }

  get isStored(): boolean {
    return this.#signIn.isStored;
  }

  get deviceName(): string {
    if (Platform.isIosApp) return Platform.isTablet ? 'iPad' : 'iPhone';
    if (Platform.isAndroidApp) return 'Android';
    return Platform.isMacOS ? 'Mac' : Platform.isWin ? 'Windows' : 'Linux';
  }

  get facts(): Facts {
    const status = this.#sync?.status ?? NO_STATUS;
    const isStopped = this.#phase === 'stopped' || (this.#phase === 'runs' && this.#sync?.isRunning === false);
    const asks = ['asks', 'signed out', 'other vault'].includes(this.#phase) || isStopped ? 1 : 0;
    const needs = asks + status.brakes.length + status.conflicts.length + status.unsynced.length;
    return { phase: isStopped ? 'stopped' : this.#phase, status, needs };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Opens what was connected. The first sync waits until a person has seen what it does. */
  open(): Promise<void> {
    return this.#next(async () => {
      await this.#close();
      const { connection } = this.#options.data();
      if (connection === null) return this.#enter('not connected');
      if (await this.isOther(connection)) return this.#enter('other vault');
      if (this.#signIn.tokens === null) return this.#enter('signed out');
      this.#sync = await VaultSync.open(this.#syncOptions(connection));
      if (this.#sync.isNew) return this.#enter('asks');
      this.#enter('runs');
      await this.#start();
    });
  }

  #syncOptions(connection: Connection): Parameters<typeof VaultSync.open>[0] {
    const { app, http, clock, indexedDb } = this.#options;
    const { settings, exclusions, phoneMegabytes } = this.#options.data();
    const isLimited = Platform.isMobile && phoneMegabytes !== null;
    return {
      ...{ app, http, clock, indexedDb, connection, settings, exclusions, signIn: this.#signIn },
      deviceId: deviceId(app),
      deviceName: this.deviceName,
      bytesMax: isLimited ? phoneMegabytes * MB : null,
      isPaused: app.loadLocalStorage(PAUSED) === true,
      setPaused: async (isPaused) => app.saveLocalStorage(PAUSED, isPaused ? true : null),
      changed: () => this.#announceSoon(),
    };
  }

  /** Returns whether the vault was synced before and this device does not know with what result. */
  async isStateLost(): Promise<boolean> {
    return (
      this.#phase === 'asks' &&
      (await readMarker(this.#options.app.vault.adapter))?.folderId !== deviceId(this.#options.app)
    );
  }

  /** Previews the first sync. Throws the errors of the server port. */
  async foresee(): Promise<Foreseen | null> {
    return (await this.#sync?.preview()) ?? null;
  }

  /** A person has seen what the first sync does. */
  begin(): void {
    if (this.#phase !== 'asks' || this.#sync === null) return;
    this.#enter('runs');
    void this.#next(() => this.#start());
  }

  /** Starts the engine, once it knows which texts it must leave alone. */
  async #start(): Promise<void> {
    const { connection } = this.#options.data();
    if (this.#sync === null || connection === null) return;
    this.#live ??= (await this.#options.live?.(this.#sync, connection)) ?? null;
    this.#sync.start();
  }

  /** Notes are given back to the engine before it ends. */
  #endLive(): void {
    this.#live?.close();
    this.#live = null;
  }

  /** Returns whether this vault was synced with another one than a connection leads to. */
  async isOther({ vaultId }: Connection): Promise<boolean> {
    const marker = await readMarker(this.#options.app.vault.adapter);
    return marker !== null && marker.vaultId !== vaultId;
  }

  /**
   * Stores a new connection and opens it. A connection to another vault first ends the previous one, as `disconnect`
   * does.
   */
  async connected(connection: Connection, tokens: DeviceTokens): Promise<void> {
    if (await this.isOther(connection)) await this.disconnect();
    this.#signIn.save(tokens);
    await this.#options.save({ ...this.#options.data(), connection });
    await this.open();
  }

  /** Unlinks this device. Files stay; the vault's sync state on this device is deleted. */
  disconnect(): Promise<void> {
    return this.#next(async () => {
      const { app, http, indexedDb } = this.#options;
      const [{ connection }, { tokens }] = [this.#options.data(), this.#signIn];
      await this.#close();
      this.#signIn.clear();
      await IdbStore.remove(indexedDb, deviceId(app));
      // Its unsent edits are in the files too, and another sync would send both.
      await CopyStore.remove(indexedDb, copiesOf(deviceId(app)));
      await removeMarker(app.vault.adapter);
      await this.#options.save({ ...this.#options.data(), connection: null });
      this.#enter('not connected');
      // A server that is away learns nothing; its access ends by itself.
      if (connection !== null && tokens !== null) await disconnect(connection.url, tokens, http).catch(() => undefined);
    });
  }

  /** Uses another address of the same server; whether that has the vault for this device. */
  async move(url: string): Promise<boolean> {
    const { connection } = this.#options.data();
    if (connection === null) return false;
    const before = connection.url;
    await this.#options.save({ ...this.#options.data(), connection: { ...connection, url } });
    await this.open();
    try {
      await this.#sync?.vault.explicitFolders();
      return this.#sync !== null;
    } catch {
      await this.#options.save({ ...this.#options.data(), connection: { ...connection, url: before } });
      await this.open();
      return false;
    }
  }

  /** Carries out a decision of a person. */
  request(control: Control): void {
    if (control === 'follow-server' || control === 'make-authoritative') this.begin();
    if (this.#sync !== null && !this.#sync.isRunning && this.#phase === 'runs') void this.#next(() => this.#start());
    this.#sync?.request(control);
    this.#announce();
  }

  get isPaused(): boolean {
    return this.#options.app.loadLocalStorage(PAUSED) === true;
  }

  hide(): Promise<void> {
    return this.#next(async () => {
      await this.#live?.sent();
      this.#endLive();
      if (this.#phase === 'runs') await this.#sync?.hide();
    });
  }

  show(): Promise<void> {
    return this.#next(async () => {
      if (this.#phase === 'runs') await this.#start();
    });
  }

  /** Ends; what is under way stops between two steps. */
  close(): Promise<void> {
    return this.#next(() => this.#close());
  }

  async #close(): Promise<void> {
    const sync = this.#sync;
    this.#endLive();
    this.#sync = null;
    await sync?.close();
  }

  #next<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => this.#enter('stopped'));
    return turn;
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#announce();
  }

  /** Announces changes after a delay, because thousands of files may change and each announcement redraws a list. */
  #announceSoon(): void {
    if (this.#soon !== null) return;
    this.#soon = window.setTimeout(() => {
      this.#soon = null;
      this.#announce();
    }, SHOWN_MS);
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
