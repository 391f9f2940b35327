import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import { slicesOf } from '../../../concurrency/slices.ts';
import type { CollaborationDeps } from './sockets/collaboration.ts';

/** Called with the vault's seq when the vault has changed. */
export type ChangeListener = (changeSeq: number) => void;

/** Changes of one vault within this time are reported once, so an import does not cause thousands of messages. */
const DEBOUNCE_MS = 50;
/** Interval in ticks at which the database is polled for changes whose hints were lost. */
const POLL_TICKS = 10;
const POLL_BATCH = 500;

interface WatchedVault {
  readonly listeners: Set<ChangeListener>;
  /** The last reported seq, or the seq known to the first listener when it subscribed. */
  notified: number;
  pending: number;
  isRepeated: boolean;
}

/** Notifies listeners of a vault's new seq. Polling finds changes whose hints were lost. */
export class ChangeNotifier implements Disposable {
  readonly #deps: Pick<CollaborationDeps, 'vaults'>;
  readonly #vaults = new Map<VaultId, WatchedVault>();
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #polling = false;

  constructor(deps: Pick<CollaborationDeps, 'vaults'>) {
    this.#deps = deps;
  }

  /** @param known the vault's seq as the listener knows it; later changes are reported. */
  subscribe(vault: VaultId, known: Seq, listener: ChangeListener): Disposable {
    const watched: WatchedVault = this.#vaults.get(vault) ?? {
      listeners: new Set(),
      notified: known,
      pending: known,
      isRepeated: false,
    };
    this.#vaults.set(vault, watched);
    watched.listeners.add(listener);
    return {
      [Symbol.dispose]: () => {
        watched.listeners.delete(listener);
        if (watched.listeners.size === 0 && this.#vaults.get(vault) === watched) this.#vaults.delete(vault);
      },
    };
  }

  /** Records that a vault has reached a seq. Calls may come late, twice or out of order. */
  changed(vault: VaultId, changeSeq: number): void {
    const watched = this.#vaults.get(vault);
    if (watched === undefined || changeSeq <= watched.pending) return;
    watched.pending = changeSeq;
    this.#timer ??= setTimeout(() => this.#notify(), DEBOUNCE_MS).unref();
  }

  /** Reports the vault once more, although its seq is the same: something about it changed that has no seq. */
  repeat(vault: VaultId): void {
    const watched = this.#vaults.get(vault);
    if (watched === undefined) return;
    watched.isRepeated = true;
    this.#timer ??= setTimeout(() => this.#notify(), DEBOUNCE_MS).unref();
  }

  /** Called once a second: polls the feeds of the watched vaults every few calls. */
  sweep(): void {
    this.#ticks += 1;
    if (this.#ticks % POLL_TICKS !== 0 || this.#polling || this.#vaults.size === 0) return;
    this.#polling = true;
    this.#poll()
      // The database is unavailable: the next poll retries.
      .catch(() => undefined)
      .finally(() => {
        this.#polling = false;
      });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    for (const ids of slicesOf([...this.#vaults.keys()], POLL_BATCH)) {
      for (const [vault, seq] of await this.#deps.vaults.changeSeqs(ids)) this.changed(vault, seq);
    }
  }

  #notify(): void {
    this.#timer = undefined;
    for (const watched of this.#vaults.values()) {
      if (watched.pending <= watched.notified && !watched.isRepeated) continue;
      watched.isRepeated = false;
      watched.notified = watched.pending;
      for (const listener of [...watched.listeners]) listener(watched.notified);
    }
  }
}
