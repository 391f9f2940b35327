import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { runShared } from './concurrency/tenant.ts';

/**
 * The events that are announced after they have happened; a change is announced when it is on disk. Caches, search,
 * sockets and metrics subscribe here. Work that must happen inside the transaction is a hook of the writing domain
 * instead.
 */
export interface ServerEvents {
  /** The contents of a vault changed in one transaction, which took `seqs` seqs; `changeSeq` is the last of them. */
  readonly vaultChanged: { readonly vaultId: VaultId; readonly changeSeq: number; readonly seqs: number };
  /** A vault was deleted or is being purged; its sockets and documents close. */
  readonly vaultClosed: { readonly vaultId: VaultId };
  readonly vaultOpened: { readonly userId: UserId; readonly vaultId: VaultId };
  /** The owner, members or invitations of a vault changed. */
  readonly peopleChanged: PeopleChange;
  /** A sign-in named an unknown e-mail or a wrong password; the client's address is null if it is not known. */
  readonly signInRefused: { readonly address: string | null };
  /** The counter of a passkey was lower than at its last use. It was refused unless it is synced. */
  readonly passkeyCounterWentBack: { readonly userId: UserId; readonly isSynced: boolean };
  /** Some credentials of a user may have become invalid; cached ones are checked again. */
  readonly credentialsChanged: { readonly userId: UserId };
}

export const peopleChanges = [
  ...(['joined', 'role_changed', 'removed', 'left', 'handed_over', 'invited', 'invitation_withdrawn'] as const),
];

export interface PeopleChange {
  readonly change: (typeof peopleChanges)[number];
  readonly vaultId: VaultId;
  /** Whom it concerns: of a hand-over the new owner, of an invitation the owner. */
  readonly userId: UserId;
}

type Listener<Name extends keyof ServerEvents> = (event: ServerEvents[Name]) => void;

/**
 * The part of Events with which a domain announces events. Call it after the commit: `handle.onCommit(() =>
 * events.emit(…))`.
 */
export type EventSink = Pick<Events, 'emit'>;

/** The events of one process. Listeners are called in the order of their subscription, before `emit` returns. */
export class Events {
  readonly #listeners = new Map<keyof ServerEvents, Set<Listener<never>>>();
  readonly #listenerFailed: (error: unknown, event: keyof ServerEvents) => void;

  /** @param listenerFailed must not throw; the other listeners are called all the same. */
  constructor(listenerFailed: (error: unknown, event: keyof ServerEvents) => void) {
    this.#listenerFailed = listenerFailed;
  }

  /** Subscribes until disposed of. */
  on<Name extends keyof ServerEvents>(name: Name, listener: Listener<Name>): Disposable {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return { [Symbol.dispose]: () => listeners.delete(listener) };
  }

  /** Never throws, because the announced change is on disk already. */
  emit<Name extends keyof ServerEvents>(name: Name, event: ServerEvents[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        // Its reads reach others than the request that emits the event.
        runShared(() => (listener as Listener<Name>)(event));
      } catch (error) {
        this.#listenerFailed(error, name);
      }
    }
  }
}
