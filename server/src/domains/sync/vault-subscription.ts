import type { Seq } from '@notevault/protocol/ids.ts';
import type { Authority, Holder, Right } from './authority.ts';
import { readStates, writeStates } from './awareness.ts';
import type { DoorParts } from './door-parts.ts';
import type { Message } from './frames.ts';
import type { Room, Rooms } from './rooms.ts';
import type { Signals } from './signals.ts';
import type { Outlet, Subscription } from './subscription.ts';

/** A Yjs update (v1) without structs and deletions, and a state vector without clients. */
const EMPTY_UPDATE = Uint8Array.of(0, 0);
const EMPTY_VECTOR = Uint8Array.of(0);

/** An outlet that can pass on a signal. */
export interface SignalOutlet extends Outlet {
  changed(changeSeq: number): void;
}

interface VaultSubscriptionParts {
  readonly authority: Authority;
  readonly rooms: Rooms;
  readonly signals: Signals;
  readonly vaults: DoorParts['vaults'];
}

/** A vault's own document: always empty, it tells its watchers that something in the vault changed. */
export class VaultSubscription implements Subscription, Holder {
  readonly #authority: Authority;
  readonly #outlet: SignalOutlet;
  readonly #room: Room;
  #right: Right;
  #listening: Disposable | undefined;
  #over = false;
  #spoke = false;

  private constructor(parts: VaultSubscriptionParts, outlet: SignalOutlet, right: Right) {
    this.#authority = parts.authority;
    this.#outlet = outlet;
    this.#right = parts.authority.join(right, this);
    this.#room = parts.rooms.join(`vault:${right.vault.id}`, right.vault, this);
  }

  /** Rejects when the vault's seq cannot be read now. */
  static async open(parts: VaultSubscriptionParts, outlet: SignalOutlet, right: Right): Promise<VaultSubscription> {
    const { id } = right.vault;
    const seqOf = async () => (await parts.vaults.changeSeqs([id])).get(id) ?? (0 as Seq);
    const known = await seqOf();
    const opened = new VaultSubscription(parts, outlet, right);
    opened.#listening = parts.signals.listen(id, known, (seq) => outlet.changed(seq));
    try {
      // What changed before anybody listened.
      parts.signals.changed(id, await seqOf());
    } catch (error) {
      opened.leave();
      throw error;
    }
    if (opened.#over) opened.#listening[Symbol.dispose]();
    else opened.#begin();
    return opened;
  }

  #begin(): void {
    this.#outlet.scope('readonly');
    const present = this.#room.presence.states();
    if (present.length > 0) this.#outlet.awareness(writeStates(present));
  }

  take(message: Message): void {
    if (this.#over) return;
    switch (message.kind) {
      case 'step1':
        this.#outlet.state(EMPTY_UPDATE);
        this.#outlet.ask(EMPTY_VECTOR);
        return;
      case 'step2':
      case 'update':
        this.#outlet.settled(isEmpty(message.update) ? null : 'read_only');
        return;
      case 'awareness':
        this.#hear(message.update);
        return;
      case 'query':
        this.#outlet.awareness(writeStates(this.#room.presence.states()));
        return;
      default:
    }
  }

  moveTo(right: Right): void {
    this.#authority.release(this.#right, this);
    this.#right = this.#authority.join(right, this);
    this.#outlet.scope('readonly');
  }

  awareness(update: Uint8Array): void {
    if (!this.#over) this.#outlet.awareness(update);
  }

  revoked(): void {
    if (this.#over) return;
    this.leave();
    this.#outlet.over('revoked');
  }

  levelChanged(): void {
    // It is read-only at every level.
  }

  leave(): void {
    if (this.#over) return;
    this.#over = true;
    this.#listening?.[Symbol.dispose]();
    this.#room.leave(this);
    this.#authority.release(this.#right, this);
  }

  #hear(update: Uint8Array): void {
    const states = readStates(update);
    if (states === null) return;
    this.#room.say(this, states, !this.#spoke);
    this.#spoke = true;
  }
}

function isEmpty(update: Uint8Array): boolean {
  return update.length === EMPTY_UPDATE.length && update.every((byte) => byte === 0);
}
