import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { type PresentClient, VaultWatch } from '@notevault/client/signals/vault-watch.ts';
import type { UploadMemory } from '@notevault/client/sliced-upload.ts';
import { noToken, type TokenSource } from '@notevault/client/tokens.ts';
import { type Http, Transport } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import { requireFit, VersionMisfit } from '@notevault/client/version-fit.ts';
import { VaultServer } from '@notevault/sync/adapters/vault-server.ts';
import { SyncEngine, type SyncResult } from '@notevault/sync/engine/engine.ts';
import { type Clock, type DiskFile, FolderGone } from '@notevault/sync/engine/ports.ts';
import { Approval } from '@notevault/sync/plan/approval.ts';
import { isConflictPath } from '@notevault/sync/plan/names.ts';
import { eachInSteps, withRests } from '@notevault/sync/plan/steps.ts';
import type { Setting } from '@notevault/sync/rules/settings-files.ts';
import { Progress } from '@notevault/sync/run/progress.ts';
import { type Control, runControl, runOnce, type SyncedFolder } from '@notevault/sync/run/run-once.ts';
import { NO_STATUS, type SyncStatus } from '@notevault/sync/run/sync-status.ts';
import { type ControlRequest, type Signals, WatchLoop } from '@notevault/sync/watch/watch-loop.ts';
import type { App, EventRef } from 'obsidian';
import { Activity, type Foreseen, foreseen } from './activity.ts';
import { restful } from './app-clock.ts';
import type { Connection } from './connect.ts';
import { checkMarker, writeMarker } from './device.ts';
import { heldByEditors, isOpenInApp, saveEditors } from './editors.ts';
import { IdbStore } from './idb-store.ts';
import { hashing } from './sha256.ts';
import type { SignIn } from './sign-in.ts';
import { VaultDisk } from './vault-disk.ts';

export interface VaultSyncOptions {
  readonly app: App;
  readonly connection: Connection;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly signIn: SignIn;
  readonly http: Http;
  readonly clock: Clock;
  readonly indexedDb: IDBFactory;
  readonly settings: readonly Setting[];
  readonly exclusions: string;
  readonly bytesMax: number | null;
  readonly isPaused: boolean;
  readonly socket?: (url: string) => WebSocket;
  setPaused(isPaused: boolean): Promise<void>;
  /** Something that is shown may have changed. */
  readonly changed: () => void;
}

/** Time for which a hidden app may continue to send, in milliseconds. */
const HIDDEN_MS = 6000;
/** Polling interval for servers without change announcements, in milliseconds. */
const BLIND_MS = 30_000;

/** Sync of one app vault with a server's vault, until it is closed. */
export class VaultSync {
  readonly activity: Activity;
  readonly disk: VaultDisk;
  readonly vault: VaultClient;
  readonly tokens: TokenSource;
  readonly #options: VaultSyncOptions;
  readonly #store: IdbStore;
  readonly #folder: SyncedFolder;
  readonly #progress: Progress;
  readonly #signals: AppSignals;
  readonly #refs: EventRef[] = [];
  #status: SyncStatus = NO_STATUS;
  #requests: ControlRequest[] = [];
  #loop: WatchLoop | null = null;
  #previewed: Approval | undefined;
  #running: Promise<void> = Promise.resolve();
  #stop = new AbortController();
  /** Whether this device knows nothing of the vault: a person sees first what it would do. */
  readonly isNew: boolean;

  private constructor(options: VaultSyncOptions, parts: Parts, activity: Activity) {
    this.#options = options;
    this.activity = activity;
    this.disk = parts.disk;
    this.vault = parts.vault;
    this.tokens = parts.tokens;
    this.isNew = parts.isNew;
    this.#progress = parts.progress;
    this.#store = parts.store;
    this.#signals = new AppSignals(options, parts.tokens, (seq) => parts.engine.hasRead(seq));
    this.#folder = {
      engine: parts.engine,
      status: {
        read: async () => this.#status,
        write: async (status) => {
          this.#status = status;
          this.#progress.end();
          options.changed();
        },
      },
      conflicts: () => this.disk.listed.filter(isConflictPath),
    };
  }

  /** Throws what opening the state throws. */
  static async open(options: VaultSyncOptions): Promise<VaultSync> {
    const { app, connection, clock, deviceId, signIn, http, indexedDb } = options;
    await writeMarker(app.vault.adapter, { vaultId: connection.vaultId, folderId: deviceId });
    const store = await IdbStore.open(indexedDb, deviceId);
    const isNew = await store.isEmpty();
    const state = await store.load();
    const rest = restful();
    const before = new Map<string, DiskFile>();
    await withRests(
      eachInSteps(state.hashes, ({ hash: _, ...file }) => void before.set(file.path, file)),
      rest,
    );
    const disk = new VaultDisk({
      ...{ app, clock, settings: options.settings, exclusions: options.exclusions, bytesMax: options.bytesMax },
      folderId: deviceId,
      before,
      checkRoot: () => checkMarker(app.vault.adapter, connection.vaultId),
      isHeld: (path) => heldByEditors(app, path),
      isOpen: (path) => isOpenInApp(app, path),
    });
    await disk.recover();
    const anyone = new NotevaultClient(new Transport(connection.url, noToken, { fetch: http }));
    const tokens = signIn.source((refreshToken) => anyone.refreshDevice(refreshToken));
    const transport = new Transport(connection.url, tokens, {
      deviceId,
      fetch: http,
      sleep: (ms, signal) => clock.sleep(ms, signal),
    });
    const vault = new NotevaultClient(transport).vault(connection.vaultId);
    const activity = new Activity(() => options.changed());
    const progress = new Progress();
    // On phones no request and no answer may carry a whole file.
    const server = new VaultServer(vault, undefined, { memory: begunUploads(app) });
    const ports = { ...{ disk, server, clock, hashing }, store: store.with(state) };
    const engine = await SyncEngine.open(ports, {
      device: options.deviceName,
      rest,
      onPlan: (operations) => progress.planned(operations),
      onOperation: (operation, outcome) => {
        progress.done(operation);
        activity.add(operation, outcome, clock.now());
      },
    });
    return new VaultSync(options, { disk, vault, tokens, store, engine, progress, isNew }, activity);
  }

  get status(): SyncStatus {
    return this.#progress.in(this.#status);
  }

  get isRunning(): boolean {
    return this.#loop !== null;
  }

  /** Whether the server tells of changes at once; else it is asked now and then. */
  get isConnected(): boolean {
    return this.#signals.isConnected;
  }

  get present(): readonly PresentClient[] {
    return this.#signals.present;
  }

  /** Previews the first sync. Throws the errors of the server port and FolderGone. */
  async preview(): Promise<Foreseen> {
    const { operations } = await this.#folder.engine.preview();
    this.#previewed = Approval.of(operations);
    return foreseen(operations);
  }

  /** Notes whose documents are edited here. */
  get holds(): SyncEngine['holds'] {
    return this.#folder.engine.holds;
  }

  /** Syncs once, beside no other run. */
  once(options: Parameters<typeof runOnce>[1] = {}): Promise<SyncResult> {
    return runOnce(this.#folder, options);
  }

  /** Carries out a decision of a person and syncs once, beside no other run. */
  decide(control: Control): Promise<SyncResult> {
    if (control === 'check') this.disk.lookAround();
    return runControl(this.#folder, control);
  }

  /** Keeps both sides in step from now on. What was previewed last needs no other approval. */
  start(): void {
    if (this.#loop !== null) return;
    const { app, clock, isPaused } = this.#options;
    this.#stop = new AbortController();
    const loop = new WatchLoop({
      ...{ sync: this.#folder, signals: this.#signals, clock, signal: this.#stop.signal, isPaused },
      approval: this.#previewed,
      blindMs: BLIND_MS,
      setPaused: (is) => this.#options.setPaused(is),
      takeRequests: async () => this.#requests.splice(0),
      listAll: () => undefined,
      tell: () => this.#options.changed(),
      result: () => this.#options.changed(),
      // One pull by the cursor, then the socket; none for what has ended meanwhile.
      rests: () => {
        if (!this.#stop.signal.aborted) this.#signals.begin();
      },
    });
    this.#loop = loop;
    for (const kind of ['create', 'modify', 'delete', 'rename'] as const) {
      // The four are overloads, which no union fits.
      const ref = app.vault.on(kind as 'rename', (file, oldPath?: string) => {
        if (this.disk.heard(kind, file, oldPath)) loop.changed();
      });
      this.#refs.push(ref);
    }
    this.#running = loop.run().catch((error: unknown) => this.#ended(error));
  }

  /** Carries out a decision of a person. */
  request(control: Control): void {
    if (control === 'check') this.disk.lookAround();
    this.#requests.push({ id: this.#options.clock.uuid(), control });
    if (control === 'pause') this.#loop?.interrupt();
    else this.#loop?.wake();
  }

  /** Out of sight the system may end the app at any moment: what is typed is sent, and the connection closed. */
  async hide(): Promise<void> {
    if (this.#loop === null) return;
    this.#signals.leave();
    await saveEditors(this.#options.app);
    const end = new AbortController();
    const late = this.#options.clock.sleep(HIDDEN_MS, end.signal).catch(() => undefined);
    await this.stop();
    const isPaused = this.#status.state === 'paused';
    if (!isPaused) await Promise.race([this.once({ signal: end.signal }).catch(() => undefined), late]);
    end.abort();
  }

  /** Ends after what is under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#signals.leave();
    for (const ref of this.#refs.splice(0)) this.#options.app.vault.offref(ref);
    await this.#running;
    this.#loop = null;
    this.#progress.end();
  }

  async close(): Promise<void> {
    await this.stop();
    this.#store.close();
  }

  async #ended(error: unknown): Promise<void> {
    const why = (error instanceof FolderGone ? null : await this.#misfit()) ?? error;
    const message = why instanceof Error ? why.message : String(why);
    // Else what follows the signals would take them from the next loop.
    this.#stop.abort();
    const state = this.#status.state === 'ended' ? 'ended' : 'stopped';
    this.#status = { ...this.#status, state, message, at: this.#options.clock.now() };
    this.#loop = null;
    this.#progress.end();
    this.#signals.leave();
    this.#options.changed();
  }

  /** Checks whether the sync ended because server and plugin versions are incompatible. */
  async #misfit(): Promise<VersionMisfit | null> {
    const { connection, http } = this.#options;
    const anyone = new Transport(connection.url, noToken, { fetch: http, tries: 1 });
    const found = await requireFit(anyone).catch((error: unknown) => error);
    return found instanceof VersionMisfit ? found : null;
  }
}

interface Parts {
  readonly disk: VaultDisk;
  readonly vault: VaultClient;
  readonly tokens: TokenSource;
  readonly store: IdbStore;
  readonly engine: SyncEngine;
  readonly progress: Progress;
  readonly isNew: boolean;
}

const UPLOADS = 'notevault-uploads';
/** Maximum number of remembered uploads, because a file that changed during its upload never resumes it. */
const MAX_UPLOADS = 100;

/** Uploads that have begun, which go on after the app was ended. */
function begunUploads(app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>): UploadMemory {
  const load = () => (app.loadLocalStorage(UPLOADS) ?? {}) as Record<string, string>;
  return {
    read: async (key) => load()[key] ?? null,
    write: async (key, id) => {
      const { [key]: _, ...others } = load();
      const latest = Object.entries(others).slice(1 - MAX_UPLOADS);
      app.saveLocalStorage(UPLOADS, Object.fromEntries(id === null ? latest : [...latest, [key, id]]));
    },
  };
}

/** The signals of the server, from when they are wanted. */
class AppSignals implements Signals {
  readonly #options: VaultSyncOptions;
  readonly #tokens: TokenSource;
  readonly #isKnown: (changeSeq: number) => boolean;
  #watch: VaultWatch | null = null;
  #begun: () => void = () => undefined;

  /** @param isKnown see VaultWatchOptions */
  constructor(options: VaultSyncOptions, tokens: TokenSource, isKnown: (changeSeq: number) => boolean) {
    this.#options = options;
    this.#tokens = tokens;
    this.#isKnown = isKnown;
  }

  begin(): void {
    if (this.#watch !== null) return;
    const { connection, clock, socket, changed } = this.#options;
    this.#watch = new VaultWatch(connection.url, connection.vaultId, this.#tokens, {
      sleep: (ms, signal) => clock.sleep(ms, signal),
      isKnown: this.#isKnown,
      ...(socket && { socket }),
    });
    this.#watch.onChange(changed);
    this.#begun();
  }

  leave(): void {
    this.#watch?.close();
    this.#watch = null;
  }

  get isConnected(): boolean {
    return this.#watch?.isConnected ?? false;
  }

  get end(): string | null {
    return this.#watch?.end ?? null;
  }

  get present(): readonly PresentClient[] {
    return this.#watch?.present ?? [];
  }

  async next(atMostMs: number, signal: AbortSignal): Promise<void> {
    if (this.#watch === null && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#begun = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    await this.#watch?.next(atMostMs, signal);
  }
}
