import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { DoorParts } from './door-parts.ts';

/** Whoever wants to know that a vault changed. */
export type Listener = (changeSeq: number) => void;

/** Changes of one vault within this time are told as one: an import is no thousand messages. */
const GATHER_MS = 50;
/** So often the database is asked what no hint may have told. */
const LOOK_TICKS = 10;
const LOOK_AT_ONCE = 500;

interface Watched {
  readonly listeners: Set<Listener>;
  /** The last seq told, or known when the first began to listen. */
  told: number;
  pending: number;
}

/** Tells watchers that something changed in a vault, up to which seq. What hints leave out, looking finds. */
export class Signals implements Disposable {
  readonly #parts: Pick<DoorParts, 'vaults'>;
  readonly #vaults = new Map<VaultId, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #looking = false;

  constructor(parts: Pick<DoorParts, 'vaults'>) {
    this.#parts = parts;
  }

  /** @param known the vault's seq as the listener may know it: what is past it is told. */
  listen(vault: VaultId, known: Seq, listener: Listener): Disposable {
    const watched = this.#vaults.get(vault) ?? { listeners: new Set(), told: known, pending: known };
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
    this.#timer ??= setTimeout(() => this.#tell(), GATHER_MS).unref();
  }

  /** Once a second. */
  sweep(): void {
    this.#ticks += 1;
    if (this.#ticks % LOOK_TICKS !== 0 || this.#looking || this.#vaults.size === 0) return;
    this.#looking = true;
    this.#look()
      // The database is away: the next look is soon.
      .catch(() => undefined)
      .finally(() => {
        this.#looking = false;
      });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const ids = [...this.#vaults.keys()];
    for (let at = 0; at < ids.length; at += LOOK_AT_ONCE) {
      const seqs = await this.#parts.vaults.changeSeqs(ids.slice(at, at + LOOK_AT_ONCE));
      for (const [vault, seq] of seqs) this.changed(vault, seq);
    }
  }

  #tell(): void {
    this.#timer = undefined;
    for (const watched of this.#vaults.values()) {
      if (watched.pending <= watched.told) continue;
      watched.told = watched.pending;
      for (const listener of [...watched.listeners]) listener(watched.told);
    }
  }
}
