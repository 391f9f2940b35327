import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { CollaborationDeps } from './collaboration.deps.ts';

/** Whoever wants to know that a vault changed. */
export type ChangeListener = (changeSeq: number) => void;

/** Changes of one vault within this time are told as one: an import is no thousand messages. */
const DEBOUNCE_MS = 50;
/** So often the database is asked what no hint may have told. */
const POLL_TICKS = 10;
const POLL_BATCH = 500;

interface WatchedVault {
  readonly listeners: Set<ChangeListener>;
  /** The last seq told, or known when the first began to listen. */
  notified: number;
  pending: number;
}

/** Tells watchers that something changed in a vault, up to which seq. What hints leave out, looking finds. */
export class ChangeNotifier implements Disposable {
  readonly #deps: Pick<CollaborationDeps, 'vaults'>;
  readonly #vaults = new Map<VaultId, WatchedVault>();
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #polling = false;

  constructor(deps: Pick<CollaborationDeps, 'vaults'>) {
    this.#deps = deps;
  }

  /** @param known the vault's seq as the listener may know it: what is past it is told. */
  subscribe(vault: VaultId, known: Seq, listener: ChangeListener): Disposable {
    const watched = this.#vaults.get(vault) ?? { listeners: new Set(), notified: known, pending: known };
    this.#vaults.set(vault, watched);
    watched.listeners.add(listener);
    return {
      [Symbol.dispose]: () => {
        watched.listeners.delete(listener);
        if (watched.listeners.size === 0 && this.#vaults.get(vault) === watched) this.#vaults.delete(vault);
      },
    };
  }

  /** A vault has come to this seq. Words may come late, twice or out of order. */
  changed(vault: VaultId, changeSeq: number): void {
    const watched = this.#vaults.get(vault);
    if (watched === undefined || changeSeq <= watched.pending) return;
    watched.pending = changeSeq;
    this.#timer ??= setTimeout(() => this.#notify(), DEBOUNCE_MS).unref();
  }

  /** Once a second. */
  sweep(): void {
    this.#ticks += 1;
    if (this.#ticks % POLL_TICKS !== 0 || this.#polling || this.#vaults.size === 0) return;
    this.#polling = true;
    this.#poll()
      // The database is away: the next look is soon.
      .catch(() => undefined)
      .finally(() => {
        this.#polling = false;
      });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    const ids = [...this.#vaults.keys()];
    for (let at = 0; at < ids.length; at += POLL_BATCH) {
      const seqs = await this.#deps.vaults.changeSeqs(ids.slice(at, at + POLL_BATCH));
      for (const [vault, seq] of seqs) this.changed(vault, seq);
    }
  }

  #notify(): void {
    this.#timer = undefined;
    for (const watched of this.#vaults.values()) {
      if (watched.pending <= watched.notified) continue;
      watched.notified = watched.pending;
      for (const listener of [...watched.listeners]) listener(watched.notified);
    }
  }
}
