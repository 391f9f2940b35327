import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';

/*
 * Who watches a document and what they say of themselves (cursor, name): the awareness protocol of y-protocols. Kept in
 * memory for as long as they watch, in bounds, and never stored.
 */

/** A client's state at its clock; null: the client is gone. */
export interface State {
  readonly client: number;
  readonly clock: number;
  /** JSON, as the client wrote it. */
  readonly state: string | null;
}

/** Clients that one message may speak of: a tab speaks of itself, and of those it took for lost. */
const ENTRIES_MAX = 256;
const STATE_CHARACTERS_MAX = 16 * 1024;

/** Null for bytes that are no awareness update, or one past all measure. */
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
      // Peers parse it as it comes: what is no JSON would fail in all of them.
      states.push({ client, clock, state: JSON.parse(json) === null ? null : json });
    }
    return states;
  } catch {
    return null;
  }
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

/** Says nothing of nobody: to a y-websocket client, a sign of life. */
export const noStates = writeStates([]);

/** Whose word counts for a client: a document open on a socket here, or another process. */
type Owner = object;

interface KnownState {
  readonly clock: number;
  readonly state: string;
  readonly owner: Owner;
  /** Tick at which it was last heard of. */
  seenAt: number;
}

const CLIENTS_MAX = 1024;
const BYTES_MAX = 1024 * 1024;
const LEFT_MAX = 256;

/** The clients of one document that this process knows of. */
export class Presence {
  readonly #clients = new Map<number, KnownState>();
  /** Clocks of those that left: what others still pass on of them is late. */
  readonly #left = new Map<number, number>();
  #size = 0;

  /**
   * Takes what an owner says; gives what is news. An owner speaks for the clients it was the first to name while nobody
   * else does. `first`: its first word, by which a client that comes back on a new socket claims its own id.
   */
  receive(owner: Owner, states: readonly State[], first: boolean, tick: number): State[] {
    return states.filter((received) => this.#accept(owner, received, first, tick));
  }

  #accept(owner: Owner, { client, clock, state }: State, first: boolean, tick: number): boolean {
    const known = this.#clients.get(client);
    if (known === undefined) {
      if (state === null) return false;
      // y-websocket clients pass on what they hear: also of those that left meanwhile.
      if (!first && clock <= (this.#left.get(client) ?? -1)) return false;
      return this.#set(client, { clock, state, owner, seenAt: tick });
    }
    if (known.owner !== owner && !first) return false;
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

  /** The owner is gone, and with it all it spoke for: their removal. */
  leave(owner: Owner): State[] {
    return this.#drop((known) => known.owner === owner);
  }

  /** As `leave`, of the clients of others that were last heard of before a tick. */
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

  /** Everybody here, or only those that some owners speak for. */
  states(of: (owner: Owner) => boolean = () => true): State[] {
    return [...this.#clients]
      .filter(([, { owner }]) => of(owner))
      .map(([client, { clock, state }]) => ({ client, clock, state }));
  }
}
