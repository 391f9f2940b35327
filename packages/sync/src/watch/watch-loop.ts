import type { SyncResult } from '../engine/engine.ts';
import { type Clock, ServerUnreachable, VaultGone } from '../engine/ports.ts';
import type { Approval } from '../plan/approval.ts';
import { type Control, runControl, runOnce, type SyncedFolder } from '../run/run-once.ts';
import { NO_STATUS, type SyncStatus } from '../run/sync-status.ts';
import { retryDelay } from './retry-delay.ts';
import { WakeUp } from './wake-up.ts';

/** A decision of the user, that the status names once it was carried out. */
export interface ControlRequest {
  readonly id: string;
  readonly control: Control;
}

/** Source of change announcements for a vault, such as the client's `VaultWatch`. */
export interface Signals {
  readonly isConnected: boolean;
  /** Why there are no more; null while there are. */
  readonly end: string | null;
  next(atMostMs: number, signal: AbortSignal): Promise<void>;
}

/** Event of a watch other than a file change. */
export type WatchEvent =
  | { readonly kind: 'paused' | 'resumed' | 'online' }
  | { readonly kind: 'offline'; readonly message: string }
  /** Changes of the folder are not noticed. */
  | { readonly kind: 'blind'; readonly everyMs: number; readonly reason: string };

export interface WatchOptions {
  readonly sync: SyncedFolder;
  readonly signals: Signals;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly isPaused: boolean;
  /** Stores whether syncing is paused. */
  setPaused(isPaused: boolean): Promise<void>;
  /** Takes the decisions that came since the last call, oldest first. */
  takeRequests(): Promise<readonly ControlRequest[]>;
  /** Makes the next run list the whole folder. */
  listAll(): void;
  readonly tell: (event: WatchEvent) => void;
  result(result: SyncResult): void;
  /** Called when there may be nothing to do for a while. */
  readonly rests?: () => void;
  /** The user's approval of what the first sync does. */
  readonly approval?: Approval | undefined;
  /** Interval for comparing a folder or vault that announces no changes, in milliseconds. */
  readonly blindMs?: number;
}

/** Changes of the folder that come within this time are synced together. */
const GATHER_MS = 20;
/**
 * The folder is listed completely when nothing has changed for this time: until then only what was reported is looked
 * at, and a system under load loses reports.
 */
const QUIET_MS = 2000;
/** Interval of full comparisons, in milliseconds. */
const SCAN_MS = 60 * 60 * 1000;
const BLIND_MS = 30_000;
const SETTLE_MS = 1000;
/** Requests whose answers stay in the status. */
const ANSWERS_KEPT = 20;
const WATCHED = 'watched';

/** Keeps a folder in step with its vault, once `run`. */
export class WatchLoop {
  readonly #options: WatchOptions;
  readonly #clock: Clock;
  readonly #wakeUp: WakeUp;
  #isPaused: boolean;
  #watching: string = WATCHED;
  #answered: string[] = [];
  /** Time of the last reported folder change that no complete listing has followed; null if none. */
  #changedAt: number | null = null;
  #isOffline = false;
  /** Ends the run that is under way. */
  #run = new AbortController();
  #listedAllAt: number;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#wakeUp = new WakeUp(this.#clock);
    this.#listedAllAt = this.#clock.ticks();
    this.#isPaused = options.isPaused;
  }

  /** Call when something in the folder may have changed. */
  changed(): void {
    this.#changedAt = this.#clock.ticks();
    this.#wakeUp.call();
  }

  /** Call when there is something to look at: a request, the network. */
  wake(): void {
    this.#wakeUp.call();
  }

  /** Ends what is under way between two files, for a request that must not wait for thousands of them. */
  interrupt(): void {
    this.#run.abort();
    this.#wakeUp.call();
  }

  /** Call when changes of the folder are no longer noticed; the reason continues `because`. */
  watchFails(reason: string): void {
    if (!this.isWatched) return;
    this.#watching = `compared every ${this.#blindMs / 1000} s, because ${reason}`;
    this.#options.tell({ kind: 'blind', everyMs: this.#blindMs, reason });
    this.#wakeUp.call();
  }

  get isWatched(): boolean {
    return this.#watching === WATCHED;
  }

  /** Runs until the signal aborts. Throws FolderGone, ServerStopped and VaultGone. */
  async run(): Promise<void> {
    const { signal, tell, rests } = this.#options;
    void this.#follow();
    if (this.#isPaused) tell({ kind: 'paused' });
    for (let retries = 0; !signal.aborted; ) {
      const result = await this.#turn();
      rests?.();
      retries = this.#isOffline ? retries + 1 : 0;
      await this.#wakeUp.wait(this.#delay(result, retries), signal);
      const isChanging = this.#changedAt !== null && this.#clock.ticks() - this.#changedAt < GATHER_MS;
      if (isChanging) await this.#clock.sleep(GATHER_MS, signal).catch(() => undefined);
    }
  }

  /** Wakes up for each signal from the server. The first one follows each connection. */
  async #follow(): Promise<void> {
    const { signal, signals } = this.#options;
    while (!signal.aborted && signals.end === null) {
      await signals.next(SCAN_MS, signal);
      this.#wakeUp.call();
    }
  }

  get #blindMs(): number {
    return this.#options.blindMs ?? BLIND_MS;
  }

  /** Requests a complete listing if the folder has settled, or nothing was reported for a long time. */
  #listAllIfDue(): void {
    const isQuiet = this.#changedAt !== null && this.#clock.ticks() - this.#changedAt >= QUIET_MS;
    const isOld = this.#clock.ticks() - this.#listedAllAt >= SCAN_MS / 2;
    if (!isQuiet && !isOld) return;
    this.#changedAt = null;
    this.#listedAllAt = this.#clock.ticks();
    this.#options.listAll();
  }

  #delay(result: SyncResult | null, retries: number): number {
    const { signals } = this.#options;
    if (this.#isPaused) return SCAN_MS;
    if (this.#isOffline) return retryDelay(retries);
    if (result?.kind === 'unsettled' || result?.kind === 'unfinished') return SETTLE_MS;
    if (this.#changedAt !== null) return QUIET_MS;
    if (!this.isWatched || !signals.isConnected || signals.end !== null) return this.#blindMs;
    const retryMs = Math.max(SETTLE_MS, (result?.retryAt ?? Number.POSITIVE_INFINITY) - this.#clock.now());
    // At different times on each device, so that they do not all ask the server at once.
    return Math.min(retryMs, SCAN_MS * (0.75 + Math.random() / 2));
  }

  /** Carries out requests, then syncs. */
  async #turn(): Promise<SyncResult | null> {
    const { sync, signal: end, approval } = this.#options;
    let result: SyncResult | null = null;
    this.#listAllIfDue();
    this.#run = new AbortController();
    const { signal } = this.#run;
    const over = () => this.#run.abort();
    if (end.aborted) over();
    end.addEventListener('abort', over, { once: true });
    try {
      for (const { id, control } of await this.#options.takeRequests()) {
        if (control === 'pause' || control === 'resume') await this.#pause(control === 'pause');
        else result = await runControl(sync, control, signal);
        this.#answered = [...this.#answered, id].slice(-ANSWERS_KEPT);
      }
      if (this.#isPaused) {
        await this.#write({ state: 'paused' });
        return null;
      }
      result ??= await runOnce(sync, { approval, signal });
      if (this.#isOffline) this.#options.tell({ kind: 'online' });
      this.#isOffline = false;
      await this.#write({});
      if (result.done > 0 || result.kind === 'waiting' || result.unsynced.length > 0) this.#options.result(result);
      return result;
    } catch (error) {
      if (signal.aborted) return null;
      await this.#failed(error);
      return null;
    } finally {
      end.removeEventListener('abort', over);
    }
  }

  /** Throws what ends the loop. */
  async #failed(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    if (!(error instanceof ServerUnreachable)) {
      // On a full disk the state cannot be stored either: the reason must not be lost by that.
      if (!(error instanceof VaultGone)) await this.#write({ state: 'stopped', message }).catch(() => undefined);
      throw error;
    }
    await this.#write({ state: 'offline', message });
    if (!this.#isOffline) this.#options.tell({ kind: 'offline', message });
    this.#isOffline = true;
  }

  async #pause(isPaused: boolean): Promise<void> {
    this.#isPaused = isPaused;
    await this.#options.setPaused(isPaused);
    this.#options.tell({ kind: isPaused ? 'paused' : 'resumed' });
  }

  async #write(changes: Partial<SyncStatus>): Promise<void> {
    const { status } = this.#options.sync;
    const before = (await status.read()) ?? NO_STATUS;
    const fixed = { watching: this.#watching, answered: this.#answered, at: this.#clock.now() };
    await status.write({ ...before, ...fixed, ...changes });
  }
}
