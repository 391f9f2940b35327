import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { Bus } from '../../../../ports/bus/bus.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import { Presence, type Reporter, readStates, type State, signedStates, writeStates } from './awareness.ts';

/** A document open in this process that receives the states of the other members. */
export interface Member {
  awareness(update: Uint8Array): void;
}

const TOPIC = 'awareness';
/** Clients send a message every 15 seconds; a client of another process is dropped after this many ticks of silence. */
const EXPIRY_TICKS = 40;
/** Interval of the heartbeats between processes; a process counts as alive for three intervals. */
const HEARTBEAT_TICKS = 30;
const PROCESSES_MAX = 256;

interface Hint {
  /** The id of the sending process. */
  readonly from: string;
  readonly vault?: VaultId;
  readonly name?: string;
  /** The states of its clients, sealed; absent in a request for them. A message without a name is a heartbeat. */
  readonly sealed?: string;
}

/** Another process, as the owner of its clients' states. */
interface Process {
  seenAt: number;
}

/** The clients of each document in this process and, as far as hints arrive, in the others. */
export class PresenceRooms implements Disposable {
  readonly #bus: Bus;
  readonly #id: string;
  readonly #rooms = new Map<string, PresenceRoom>();
  readonly #processes = new Map<string, Process>();
  readonly #subscription: Disposable;
  #tick = 0;

  /** @param id the id of this process, unique among all. */
  constructor(bus: Bus, id: string) {
    this.#bus = bus;
    this.#id = id;
    this.#subscription = bus.subscribe(TOPIC, (payload) => this.#receive(payload));
    this.#publish({});
  }

  join(name: string, vault: OpenVault, member: Member): PresenceRoom {
    let room = this.#rooms.get(name);
    if (room === undefined) {
      const changed = (states: readonly State[]) => this.#broadcast(name, vault, states);
      room = new PresenceRoom(
        vault,
        () => this.#tick,
        changed,
        () => this.#rooms.delete(name),
      );
      this.#rooms.set(name, room);
      if (this.#hasOthers()) this.#publish({ vault: vault.id, name });
    }
    room.members.add(member);
    return room;
  }

  /** Called once a second: announces this process, and drops processes and states that went silent. */
  sweep(): void {
    this.#tick += 1;
    if (this.#tick % HEARTBEAT_TICKS === 0) this.#publish({});
    for (const [id, { seenAt }] of this.#processes) {
      if (this.#tick - seenAt > 3 * HEARTBEAT_TICKS) this.#processes.delete(id);
    }
    for (const room of this.#rooms.values()) room.expire(this.#tick - EXPIRY_TICKS);
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }

  #hasOthers(): boolean {
    return this.#processes.size > 0;
  }

  /** Sends states to other processes, if there are any: otherwise sealing every cursor move would be wasted work. */
  #broadcast(name: string, vault: OpenVault, states: readonly State[]): void {
    if (!this.#hasOthers() || states.length === 0) return;
    const sealed = vault.key.seal(contextOf(name), writeStates(states)).toString('base64');
    this.#publish({ vault: vault.id, name, sealed });
  }

  #publish(hint: Omit<Hint, 'from'>): void {
    this.#bus.publish(TOPIC, JSON.stringify({ from: this.#id, ...hint }));
  }

  #receive(payload: string): void {
    const { from, name, sealed } = JSON.parse(payload) as Hint;
    let process = this.#processes.get(from);
    if (process === undefined) {
      if (this.#processes.size >= PROCESSES_MAX) return;
      process = { seenAt: this.#tick };
      this.#processes.set(from, process);
      // The new process may have missed our announcement.
      this.#publish({});
    }
    process.seenAt = this.#tick;
    const room = name === undefined ? undefined : this.#rooms.get(name);
    if (room === undefined || name === undefined) return;
    if (sealed === undefined) this.#broadcast(name, room.vault, room.localStates());
    else room.receive(process, openStates(room.vault, name, sealed));
  }
}

function contextOf(name: string) {
  return { kind: 'sync.awareness', row: name, version: 0 };
}

/** Returns no states if the message is damaged or sealed with another vault's key. */
function openStates(vault: OpenVault, name: string, sealed: string): State[] {
  try {
    return readStates(vault.key.open(contextOf(name), Buffer.from(sealed, 'base64'))) ?? [];
  } catch {
    return [];
  }
}

export class PresenceRoom {
  readonly vault: OpenVault;
  readonly presence = new Presence();
  readonly members = new Set<Member>();
  readonly #now: () => number;
  readonly #changed: (states: readonly State[]) => void;
  readonly #empty: () => void;

  /** @param changed called when clients of this process have new states. */
  constructor(vault: OpenVault, now: () => number, changed: (states: readonly State[]) => void, empty: () => void) {
    this.vault = vault;
    this.#now = now;
    this.#changed = changed;
    this.#empty = empty;
  }

  /** Sends a member's signed states to all members, itself too. @param isFirst whether it is its first message. */
  publish(member: Member, states: readonly State[], reporter: Reporter, isFirst: boolean): void {
    const first = isFirst ? reporter.userId : null;
    const changes = this.presence.receive(member, signedStates(states, reporter), first, this.#now());
    this.#relay(changes);
    this.#changed(changes);
  }

  receive(process: object, states: readonly State[]): void {
    this.#relay(this.presence.receive(process, states, null, this.#now()));
  }

  leave(member: Member): void {
    if (!this.members.delete(member)) return;
    const removed = this.presence.leave(member);
    this.#relay(removed);
    this.#changed(removed);
    if (this.members.size === 0) this.#empty();
  }

  expire(before: number): void {
    this.#relay(this.presence.expire(before, (owner) => this.members.has(owner as Member)));
  }

  localStates(): State[] {
    return this.presence.states((owner) => this.members.has(owner as Member));
  }

  #relay(states: readonly State[]): void {
    if (states.length === 0) return;
    const update = writeStates(states);
    for (const member of this.members) member.awareness(update);
  }
}
