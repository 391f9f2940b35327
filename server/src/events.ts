import type { UserId, VaultId } from '@notevault/protocol/ids.ts';

/**
 * What is announced once it has happened: a change when it is on disk. Whoever follows (caches, search, sockets, metrics)
 * subscribes here. What must happen inside the transaction is a hook of the domain that writes.
 */
export interface ServerEvents {
  /** The contents of a vault changed; `changeSeq` is the last seq that it took. */
  readonly vaultChanged: { readonly vaultId: VaultId; readonly changeSeq: number };
  /** A vault was deleted, or is being purged: whoever has it open closes it. */
  readonly vaultClosed: { readonly vaultId: VaultId };
  /** Somebody opened a vault. */
  readonly vaultOpened: { readonly userId: UserId; readonly vaultId: VaultId };
  /** Some credentials of a user may have stopped working: whoever relies on one checks it again. */
  readonly credentialsChanged: { readonly userId: UserId };
}

type Listener<Name extends keyof ServerEvents> = (event: ServerEvents[Name]) => void;

/** What a domain needs that announces events. Called after the commit: `handle.onCommit(() => events.emit(…))`. */
export type EventSink = Pick<Events, 'emit'>;

/** The events of one process. Listeners hear of each in the order of their subscription, before `emit` returns. */
export class Events {
  readonly #listeners = new Map<keyof ServerEvents, Set<Listener<never>>>();
  readonly #listenerFailed: (error: unknown, event: keyof ServerEvents) => void;

  /** @param listenerFailed learns what a listener threw; the others hear of the event all the same. Must not throw. */
  constructor(listenerFailed: (error: unknown, event: keyof ServerEvents) => void) {
    this.#listenerFailed = listenerFailed;
  }

  /** Subscribes until it is disposed of. */
  on<Name extends keyof ServerEvents>(name: Name, listener: Listener<Name>): Disposable {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return { [Symbol.dispose]: () => listeners.delete(listener) };
  }

  /** Never throws: what it announces is on disk already, whatever a listener makes of it. */
  emit<Name extends keyof ServerEvents>(name: Name, event: ServerEvents[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        (listener as Listener<Name>)(event);
      } catch (error) {
        this.#listenerFailed(error, name);
      }
    }
  }
}
