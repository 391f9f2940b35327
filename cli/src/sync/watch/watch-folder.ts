import { watch } from 'node:fs';
import { LiveSocket } from '@notevault/client/live/live-socket.ts';
import type { VaultSignals } from '@notevault/client/live/vault-signals.ts';
import { collectWhenIdle } from '@notevault/server/ports/gc/gc.ts';
import type { SyncResult } from '@notevault/sync/engine/engine.ts';
import { type Clock, ServerUnreachable } from '@notevault/sync/engine/ports.ts';
import { retryDelay } from '@notevault/sync/watch/retry-delay.ts';
import { WakeUp } from '@notevault/sync/watch/wake-up.ts';
import type { VaultAccess } from '../account/connect.ts';
import type { FolderSync } from '../run/folder-sync.ts';
import { nodeClock } from '../run/node-clock.ts';
import type { Reporter } from '../run/reporter.ts';
import { runControl, runOnce } from '../run/run-once.ts';
import { requestsFolder, takeRequests } from '../state/control.ts';
import { FolderEnded } from '../state/folder-ended.ts';
import type { FolderRecord, FolderRegistry } from '../state/folder-registry.ts';
import { NO_STATUS, readStatus, type SyncStatus, writeStatus } from '../state/sync-status.ts';
import { FolderWatcher, type FolderWatcherOptions } from './folder-watcher.ts';

export interface WatchOptions {
  readonly sync: FolderSync;
  readonly record: FolderRecord;
  readonly registry: FolderRegistry;
  readonly access: VaultAccess;
  readonly reporter: Reporter;
  readonly isApproved: boolean;
  readonly signal: AbortSignal;
  /** What watches the folder; chokidar if absent. */
  readonly watch?: FolderWatcherOptions['watch'];
  /** How often a folder that cannot be watched is compared. */
  readonly blindMs?: number;
  readonly clock?: Clock;
}

/** Changes of the folder that come within this time are synced together. */
const GATHER_MS = 20;
/**
 * The folder is listed completely when nothing has changed for this time: until then only what was reported is looked
 * at, and a system under load loses reports.
 */
const QUIET_MS = 2000;
/** Everything is compared this often, whatever was noticed. */
const SCAN_MS = 60 * 60 * 1000;
/** The same where changes of the folder cannot be noticed, and where the server does not announce its own. */
const BLIND_MS = 30_000;
const SETTLE_MS = 1000;
/** Requests whose answers stay in the status. */
const ANSWERS_KEPT = 20;

/** Keeps a folder in step until the signal aborts. Throws FolderGone, ServerStopped and FolderEnded. */
export async function watchFolder(options: WatchOptions): Promise<void> {
  await new WatchLoop(options).run();
}

class WatchLoop {
  readonly #options: WatchOptions;
  readonly #clock: Clock;
  readonly #wakeUp: WakeUp;
  #isPaused: boolean;
  #watching: string | null = 'watched';
  #hasSignal = () => false;
  #answered: string[] = [];
  /** When the folder was last reported to have changed without having been listed completely since; null if not. */
  #changedAt: number | null = null;
  #isOffline = false;
  #listedAllAt: number;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? nodeClock();
    this.#wakeUp = new WakeUp(this.#clock);
    this.#listedAllAt = this.#clock.ticks();
    this.#isPaused = options.record.isPaused;
  }

  async run(): Promise<void> {
    const { sync, signal, access, reporter } = this.#options;
    await using opened = new AsyncDisposableStack();
    const requests = watch(await requestsFolder(sync.place), () => this.#wakeUp.call());
    opened.defer(() => requests.close());
    opened.use(this.#watchDisk());
    const socket = opened.use(new LiveSocket(access.url, access.tokens));
    const signals = opened.use(socket.watch(access.vaultId));
    this.#hasSignal = () => socket.isConnected && signals.end === null;
    void this.#follow(signals);
    if (this.#isPaused) reporter.note('Paused: "notevault sync resume" continues.');
    // Most of the time there is nothing to do, and what the last work has left is several times what is in use.
    const worked = collectWhenIdle();
    for (let retries = 0; !signal.aborted; ) {
      const result = await this.#turn();
      worked();
      retries = this.#isOffline ? retries + 1 : 0;
      await this.#wakeUp.wait(this.#delay(result, retries), signal);
      const isChanging = this.#changedAt !== null && this.#clock.ticks() - this.#changedAt < GATHER_MS;
      if (isChanging) await this.#clock.sleep(GATHER_MS, signal).catch(() => undefined);
    }
  }

  /** Wakes up for each signal of the server, of which the first comes after each connection. */
  async #follow(signals: VaultSignals): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted && signals.end === null) {
      await signals.next(SCAN_MS, signal);
      this.#wakeUp.call();
    }
  }

  #watchDisk(): FolderWatcher {
    const { sync, reporter, watch: begin } = this.#options;
    const watcher = new FolderWatcher({
      root: sync.root,
      ...(begin && { watch: begin }),
      isIgnored: (path, kind) => sync.disk.isIgnored(path, kind),
      changed: (path) => {
        sync.disk.changes.add(path);
        this.#changedAt = this.#clock.ticks();
        this.#wakeUp.call();
      },
      failed: (reason) => {
        sync.disk.changes.watchFails();
        if (this.#watching !== 'watched') return;
        this.#watching = `compared every ${this.#blindMs / 1000} s, because ${reason}`;
        reporter.note(`The folder is ${this.#watching}.`);
        this.#wakeUp.call();
      },
    });
    sync.disk.onLateWrite(() => this.#wakeUp.call());
    void watcher.ready.then(() => {
      if (this.#watching === 'watched') sync.disk.changes.watchBegins();
    });
    return watcher;
  }

  get #blindMs(): number {
    return this.#options.blindMs ?? BLIND_MS;
  }

  /** Has the folder listed completely if it has come to rest, or nothing was reported for long. */
  #listAllIfDue(): void {
    const isQuiet = this.#changedAt !== null && this.#clock.ticks() - this.#changedAt >= QUIET_MS;
    const isOld = this.#clock.ticks() - this.#listedAllAt >= SCAN_MS / 2;
    if (!isQuiet && !isOld) return;
    this.#changedAt = null;
    this.#listedAllAt = this.#clock.ticks();
    this.#options.sync.disk.changes.addAll();
  }

  #delay(result: SyncResult | null, retries: number): number {
    if (this.#isPaused) return SCAN_MS;
    if (this.#isOffline) return retryDelay(retries);
    if (result?.kind === 'unsettled' || result?.kind === 'unfinished') return SETTLE_MS;
    if (this.#changedAt !== null) return QUIET_MS;
    if (this.#watching !== 'watched' || !this.#hasSignal()) return this.#blindMs;
    const retryMs = Math.max(SETTLE_MS, (result?.retryAt ?? Number.POSITIVE_INFINITY) - this.#clock.now());
    // At different times on each device, so that they do not all ask the server at once.
    return Math.min(retryMs, SCAN_MS * (0.75 + Math.random() / 2));
  }

  /** Carries out requests, then syncs. */
  async #turn(): Promise<SyncResult | null> {
    const { sync, reporter, isApproved, signal } = this.#options;
    let result: SyncResult | null = null;
    this.#listAllIfDue();
    try {
      for (const { id, control } of await takeRequests(sync.place)) {
        if (control === 'pause' || control === 'resume') await this.#pause(control === 'pause');
        else result = await runControl(sync, control, signal);
        this.#answered = [...this.#answered, id].slice(-ANSWERS_KEPT);
      }
      if (this.#isPaused) {
        await this.#write({ state: 'paused' });
        return null;
      }
      result ??= await runOnce(sync, { signal, ...(isApproved && { isApproved: () => true }) });
      if (this.#isOffline) reporter.note('The server can be reached again.');
      this.#isOffline = false;
      await this.#write({});
      if (result.done > 0 || result.kind === 'waiting' || result.unsynced.length > 0) reporter.result(result);
      return result;
    } catch (error) {
      if (signal.aborted) return null;
      const message = error instanceof Error ? error.message : String(error);
      if (!(error instanceof ServerUnreachable)) {
        // On a full disk the state cannot be stored either: the reason must not be lost by that.
        if (!(error instanceof FolderEnded)) await this.#write({ state: 'stopped', message }).catch(() => undefined);
        throw error;
      }
      await this.#write({ state: 'offline', message });
      if (!this.#isOffline) reporter.note(`Offline: ${message}. Changes wait here until the server is back.`);
      this.#isOffline = true;
      return null;
    }
  }

  async #pause(isPaused: boolean): Promise<void> {
    const { registry, record, reporter } = this.#options;
    this.#isPaused = isPaused;
    await registry.save({ ...record, isPaused });
    reporter.note(isPaused ? 'Paused: "notevault sync resume" continues.' : 'Resumed.');
  }

  async #write(changes: Partial<SyncStatus>): Promise<void> {
    const { place } = this.#options.sync;
    const before = (await readStatus(place)) ?? NO_STATUS;
    const fixed = { watching: this.#watching, answered: this.#answered, at: this.#clock.now() };
    await writeStatus(place, { ...before, ...fixed, ...changes });
  }
}
