import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { LiveNote, LiveNotes, Taken, Watcher } from '../notes/notes.ts';
import type { Authority, Holder, Right } from './authority.ts';
import { readStates, type State, writeStates } from './awareness.ts';
import type { Message } from './frames.ts';
import type { Peer } from './peer.ts';
import type { Room, Rooms } from './rooms.ts';

/** Why a document is over for a client. After `lost` and `malformed` the whole socket is. */
export type End = 'note_deleted' | 'note_too_large' | 'foreign_lineage' | 'revoked' | 'lost' | 'malformed';

/** Why an update was not taken. */
export type Untaken = 'read_only' | 'missing' | 'malformed' | 'foreign' | 'costly' | 'too_large' | 'lost';

/** How a door says things to its client, in its own protocol. Nothing of it throws. */
export interface Outlet {
  scope(scope: 'read-write' | 'readonly'): void;
  /** What the client lacks, whole. */
  state(update: Uint8Array): void;
  /** Asks for what we lack, given what we have. */
  ask(vector: Uint8Array): void;
  update(update: Uint8Array): void;
  /** One update of the client is on disk (null), or was refused. */
  settled(untaken: Untaken | null): void;
  awareness(update: Uint8Array): void;
  over(end: End): void;
}

/** A document open for one client. */
export interface Subscription {
  /** Takes the client's messages in their order; what cannot be done at once waits, counted on the peer. */
  take(message: Message, bytes: number): void;
  /** The client goes on by another credential. */
  moveTo(right: Right): void;
  /** The client left, or its socket did: nothing more is sent; what was taken is still done. */
  leave(): void;
}

export interface SubscriptionParts {
  readonly authority: Authority;
  readonly rooms: Rooms;
  readonly live: LiveNotes;
}

/** Updates of one client that may be on their way to the disk at once; the next wait for them. */
const IN_FLIGHT_MAX = 256;
/** Over this an update is refused unread: a note of 10 MB fits, whatever its history. */
const UPDATE_BYTES_MAX = 16 * 1024 * 1024;
/** Nothing at all: no client is known. */
const EMPTY_VECTOR = Uint8Array.of(0);
/** What a message costs beside its bytes while it waits. */
const MESSAGE_OVERHEAD = 128;

interface Waiting {
  readonly message: Message;
  readonly bytes: number;
}

/** An update of this client on its way; `whole`: all it has, as protocols send after connecting. */
interface Arrived {
  readonly update: Uint8Array;
  readonly whole: boolean;
  readonly bytes: number;
}

/** A note open for one client: what it may do is asked of the authority, what is done is done by the live note. */
export class NoteSubscription implements Subscription, Holder, Watcher {
  readonly #parts: SubscriptionParts;
  readonly #peer: Peer;
  readonly #outlet: Outlet;
  #right: Right;
  #live: LiveNote | undefined;
  #room: Room | undefined;
  #over = false;
  readonly #waiting: Waiting[] = [];
  #working = false;
  #inFlight = 0;
  /** Came in this turn: handed on together at its end. */
  #arrived: Arrived[] = [];
  #landed: (() => void) | undefined;
  #spoke = false;

  private constructor(parts: SubscriptionParts, peer: Peer, outlet: Outlet, right: Right) {
    this.#parts = parts;
    this.#peer = peer;
    this.#outlet = outlet;
    this.#right = parts.authority.join(right, this);
  }

  /** Throws as LiveNotes.open does. The outlet hears its scope first, then who else watches. */
  static async open(
    parts: SubscriptionParts,
    client: { readonly peer: Peer; readonly outlet: Outlet },
    right: Right,
    note: NoteId,
  ): Promise<NoteSubscription> {
    const opened = new NoteSubscription(parts, client.peer, client.outlet, right);
    try {
      opened.#live = await parts.live.open(right.vault, note, opened);
    } catch (error) {
      opened.#end();
      throw error;
    }
    if (opened.#over) opened.#dispose();
    else opened.#begin(note);
    return opened;
  }

  #begin(note: NoteId): void {
    this.levelChanged();
    this.#room = this.#parts.rooms.join(note, this.#right.vault, this);
    const present = this.#room.presence.states();
    if (present.length > 0) this.#outlet.awareness(writeStates(present));
  }

  take(message: Message, bytes: number): void {
    if (this.#over) return;
    if (!this.#working && this.#mayGoOn(message)) {
      const work = this.#handle(message, bytes);
      if (work === undefined) return;
      this.#working = true;
      void this.#goOn(work);
      return;
    }
    this.#peer.take(bytes + MESSAGE_OVERHEAD);
    this.#waiting.push({ message, bytes });
    if (!this.#working) {
      this.#working = true;
      void this.#goOn(undefined);
    }
  }

  moveTo(right: Right): void {
    if (this.#over) return;
    this.#parts.authority.release(this.#right, this);
    this.#right = this.#parts.authority.join(right, this);
    this.levelChanged();
  }

  leave(): void {
    this.#end();
  }

  // As a holder of a right

  revoked(): void {
    this.#finish('revoked');
  }

  levelChanged(): void {
    if (!this.#over) this.#outlet.scope(this.#right.mayWrite ? 'read-write' : 'readonly');
  }

  // As a watcher of the note

  update(update: Uint8Array): void {
    if (!this.#over) this.#outlet.update(update);
  }

  closed(reason: 'note_deleted' | 'note_too_large' | 'lost'): void {
    this.#finish(reason);
  }

  // As a member of the room

  awareness(update: Uint8Array): void {
    if (!this.#over) this.#outlet.awareness(update);
  }

  /** Works off what waits, one message after the other; `first` is under way already. */
  async #goOn(first: Promise<void> | undefined): Promise<void> {
    try {
      await first;
      // A client that left is still owed what it sent before.
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        if (!this.#mayGoOn(next.message)) await this.#wait();
        const work = this.#handle(next.message, next.bytes);
        if (work !== undefined) await work;
        this.#waiting.shift();
        this.#peer.give(next.bytes + MESSAGE_OVERHEAD);
      }
    } catch (error) {
      this.#failed(error);
    }
    this.#working = false;
    for (const { bytes } of this.#waiting.splice(0)) this.#peer.give(bytes + MESSAGE_OVERHEAD);
    if (this.#over) this.#dispose();
  }

  /** Whether a message can be worked on without finding something out first. */
  #mayGoOn(message: Message): boolean {
    if (message.kind === 'awareness' || message.kind === 'query') return true;
    return this.#inFlight < IN_FLIGHT_MAX && this.#parts.authority.isFresh(this.#right);
  }

  async #wait(): Promise<void> {
    while (this.#inFlight >= IN_FLIGHT_MAX) {
      await new Promise<void>((resolve) => {
        this.#landed = resolve;
      });
    }
    if (!this.#parts.authority.isFresh(this.#right)) await this.#parts.authority.refresh(this.#right);
  }

  #handle(message: Message, bytes: number): Promise<void> | undefined {
    switch (message.kind) {
      case 'step1':
        // What it sent before is in the answer.
        this.#handOn();
        return this.#answer(message.vector);
      case 'step2':
      case 'update':
        return this.#write(message, bytes);
      case 'awareness':
        this.#hear(message.update);
        return undefined;
      case 'query':
        this.#outlet.awareness(writeStates(this.#room?.presence.states() ?? []));
        return undefined;
      default:
        return undefined;
    }
  }

  /** What the client lacks, then the question what we lack. */
  async #answer(vector: Uint8Array): Promise<void> {
    await this.#peer.drained();
    const live = this.#live;
    if (this.#over || live === undefined) return;
    const missing = await live.missingFor(vector);
    if (missing === 'foreign' && this.#right.mayWrite) {
      // Its text must not be lost: asked for whole, it comes as an update, which is refused and kept as a version.
      return this.#over ? undefined : this.#outlet.ask(EMPTY_VECTOR);
    }
    if (typeof missing === 'string') return this.#finish(missing === 'foreign' ? 'foreign_lineage' : 'malformed');
    this.#peer.charge(missing.byteLength);
    const ours = await live.stateVector();
    if (this.#over) return;
    this.#outlet.state(missing);
    this.#outlet.ask(ours);
  }

  #write({ kind, update }: Extract<Message, { update: Uint8Array }>, bytes: number): Promise<void> | undefined {
    const live = this.#live;
    if (live === undefined) return undefined;
    if (!this.#right.mayWrite) return this.#refuseToWatcher(live, kind === 'step2', update);
    if (update.byteLength > UPDATE_BYTES_MAX) return this.#refuse('too_large');
    this.#inFlight += 1;
    this.#peer.take(bytes + MESSAGE_OVERHEAD);
    if (this.#arrived.length === 0) queueMicrotask(() => this.#handOn());
    this.#arrived.push({ update, whole: kind === 'step2', bytes });
    return undefined;
  }

  /** What came together shares a row of the log, and is one message to those who watch. */
  #handOn(): void {
    const [arrived, live] = [this.#arrived, this.#live];
    if (arrived.length === 0 || live === undefined) return;
    this.#arrived = [];
    const { kind, name } = this.#right.principal;
    const updates = arrived.map(({ update }) => update);
    live
      .apply(updates, { kind, name })
      .then((results) => this.#applied(arrived, results))
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#inFlight -= arrived.length;
        for (const { bytes } of arrived) this.#peer.give(bytes + MESSAGE_OVERHEAD);
        this.#landed?.();
        if (this.#over) this.#dispose();
      });
  }

  async #applied(arrived: readonly Arrived[], results: readonly Taken[]): Promise<void> {
    let asks = 0;
    for (const [index, result] of results.entries()) {
      if (result === 'stored' || result === 'known') this.#settled(null);
      else this.#refuse(result);
      // Who sent all it has and still leans on more would be asked for ever.
      if (result === 'missing' && arrived[index]?.whole === false) asks += 1;
    }
    if (asks === 0) return;
    const ours = await this.#live?.stateVector();
    // For each of them: clients count what is acknowledged, and the answer to this is what makes up for a refusal.
    for (let asked = 0; asked < asks && ours !== undefined && !this.#over; asked++) this.#outlet.ask(ours);
  }

  /** A watcher may send all it has, as protocols do after connecting, as long as that is nothing new. */
  async #refuseToWatcher(live: LiveNote, whole: boolean, update: Uint8Array): Promise<void> {
    const adds = !whole || (await live.lacks(update));
    this.#settled(adds ? 'read_only' : null);
  }

  #refuse(why: Untaken): undefined {
    this.#settled(why);
    if (why === 'foreign') this.#finish('foreign_lineage');
    if (why === 'too_large') this.#finish('note_too_large');
    if (why === 'lost') this.#finish('lost');
  }

  #settled(untaken: Untaken | null): void {
    if (!this.#over) this.#outlet.settled(untaken);
  }

  #failed(error: unknown): void {
    if (refusalOf(error) === null) this.#refuse('lost');
    else this.#finish('note_deleted');
  }

  #hear(update: Uint8Array): void {
    const states: State[] | null = readStates(update);
    if (states === null || this.#over) return;
    this.#room?.say(this, states, !this.#spoke);
    this.#spoke = true;
  }

  #finish(end: End): void {
    if (this.#over) return;
    this.#end();
    this.#outlet.over(end);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#room?.leave(this);
    this.#dispose();
  }

  /** Lets go of the note once nothing of this client is on its way any more. */
  #dispose(): void {
    if (this.#working || this.#inFlight > 0) return;
    this.#parts.authority.release(this.#right, this);
    this.#live?.[Symbol.dispose]();
    this.#live = undefined;
  }
}

/** Why a document that may be opened cannot be, when trying again would not help; else null. */
export function refusalOf(error: unknown): 'permission-denied' | 'unreadable' | null {
  if (!(error instanceof NotevaultError)) return null;
  if (error.code === 'note_not_found') return 'permission-denied';
  return error.code === 'note_unreadable' || error.code === 'vault_unreadable' ? 'unreadable' : null;
}
