import { MB } from '@notevault/protocol/values/byte-units.ts';
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import type { Principal } from '../../../foundation/access/access.ts';

/**
 * Presence in a document: its clients and their states (cursor, name), by the awareness protocol of y-protocols. Kept
 * in memory, with limits, while clients are connected; never stored.
 */

/** A client's state at its clock; null once the client has left. */
export interface State {
  readonly client: number;
  readonly clock: number;
  /** JSON, as the client wrote it. */
  readonly state: string | null;
}

/** Maximum number of clients in one message: a tab reports itself and the clients that it found to have timed out. */
const ENTRIES_MAX = 256;
const STATE_CHARACTERS_MAX = 16 * 1024;

/** Returns null for bytes that are not an awareness update and for one over the limits. */
export function readStates(update: Uint8Array): State[] | null {
  try {
    const decoder = decoding.createDecoder(update);
    const count = decoding.readVarUint(decoder);
    if (count > ENTRIES_MAX) return null;
    const states: State[] = [];
    for (let at = 0; at < count; at++) {
      const client = decoding.readVarUint(decoder);
      const clock = decoding.readVarUint(decoder);
      const json = decoding.readVarString(decoder);
      if (json.length > STATE_CHARACTERS_MAX) return null;
      // Peers parse the state without a check: invalid JSON would fail in all of them.
      states.push({ client, clock, state: JSON.parse(json) === null ? null : json });
    }
    return states;
  } catch {
    return null;
  }
}

/** The reporter of awareness states: the caller of a socket. */
export type Reporter = Pick<Principal, 'userId' | 'displayName' | 'kind'>;

/** Adds the user id to each state, over any that a client claims; leaves out states that become too long. */
export function signedStates(states: readonly State[], { userId, displayName, kind }: Reporter): State[] {
  const actor = { user_id: userId, display_name: displayName ?? null, kind };
  return states.flatMap((said) => {
    if (said.state === null) return [said];
    const value: unknown = JSON.parse(said.state);
    if (typeof value !== 'object' || Array.isArray(value)) return [];
    const state = JSON.stringify({ ...value, actor });
    return state.length > STATE_CHARACTERS_MAX ? [] : [{ ...said, state }];
  });
}

/** Returns the user id in a signed state; undefined if it is not signed. */
function personOf(state: string): string | undefined {
  return (JSON.parse(state) as { actor?: { user_id?: string } } | null)?.actor?.user_id;
}

export function writeStates(states: readonly State[]): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, states.length);
  for (const { client, clock, state } of states) {
    encoding.writeVarUint(encoder, client);
    encoding.writeVarUint(encoder, clock);
    encoding.writeVarString(encoder, state ?? 'null');
  }
  return encoding.toUint8Array(encoder);
}

/** An update without clients: y-websocket clients accept it as a keep-alive. */
export const noStates = writeStates([]);

/** The owner of a client's state: a document open on a local socket, or another process. */
type Owner = object;

interface KnownState {
  readonly clock: number;
  readonly state: string;
  readonly owner: Owner;
  /** The tick of its last message. */
  seenAt: number;
}

const CLIENTS_MAX = 1024;
const BYTES_MAX = MB;
const LEFT_MAX = 256;

/** The clients of one document that this process knows of. */
export class Presence {
  readonly #clients = new Map<number, KnownState>();
  /** Clocks of clients that left: peers may still relay their old states. */
  readonly #left = new Map<number, number>();
  #size = 0;

  /**
   * Applies the states that an owner reports; returns those that are new. An owner reports the clients that it named
   * first, while no other owner does.
   *
   * @param first the user of this owner, on its first message: a client that reconnects on a new socket thereby
   * reclaims its id, which no other user can take. Null for later messages.
   */
  receive(owner: Owner, states: readonly State[], first: string | null, tick: number): State[] {
    return states.filter((received) => this.#accept(owner, received, first, tick));
  }

  #accept(owner: Owner, { client, clock, state }: State, first: string | null, tick: number): boolean {
    const known = this.#clients.get(client);
    if (known === undefined) {
      if (state === null) return false;
      // y-websocket clients relay the states of other clients, also of those that have left.
      if (first === null && clock <= (this.#left.get(client) ?? -1)) return false;
      return this.#set(client, { clock, state, owner, seenAt: tick });
    }
    if (known.owner !== owner && (first === null || personOf(known.state) !== first)) return false;
    if (clock < known.clock || (clock === known.clock && known.owner === owner && state !== null)) return false;
    if (state === null) {
      this.#remove(client, known);
      return true;
    }
    return this.#set(client, { clock, state, owner, seenAt: tick });
  }

  #set(client: number, known: KnownState): boolean {
    const before = this.#clients.get(client);
    const size = this.#size + known.state.length - (before?.state.length ?? 0);
    if (size > BYTES_MAX || (before === undefined && this.#clients.size >= CLIENTS_MAX)) return false;
    this.#size = size;
    this.#clients.set(client, known);
    this.#left.delete(client);
    return true;
  }

  #remove(client: number, known: KnownState): void {
    this.#clients.delete(client);
    this.#size -= known.state.length;
    this.#left.set(client, known.clock);
    const [oldest] = this.#left.keys();
    if (this.#left.size > LEFT_MAX && oldest !== undefined) this.#left.delete(oldest);
  }

  /** Removes an owner and all its clients; returns the removals to broadcast. */
  leave(owner: Owner): State[] {
    return this.#drop((known) => known.owner === owner);
  }

  /** Like `leave`, for clients of other owners whose last message is older than a tick. */
  expire(before: number, ours: (owner: Owner) => boolean): State[] {
    return this.#drop((known) => known.seenAt < before && !ours(known.owner));
  }

  #drop(gone: (known: KnownState) => boolean): State[] {
    const removed: State[] = [];
    for (const [client, known] of this.#clients) {
      if (!gone(known)) continue;
      this.#remove(client, known);
      removed.push({ client, clock: known.clock, state: null });
    }
    return removed;
  }

  /** Returns the states of all clients, or only of those of certain owners. */
  states(of: (owner: Owner) => boolean = () => true): State[] {
    return [...this.#clients]
      .filter(([, { owner }]) => of(owner))
      .map(([client, { clock, state }]) => ({ client, clock, state }));
  }
}
