import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Message } from '@notevault/protocol/socket-frames.ts';
import type { ApplyOutcome, LiveNote, LiveNotes, Watcher } from '../notes/notes.ts';
import { readStates, type State, writeStates } from './awareness.ts';
import type { Connection } from './connection.ts';
import type { Permission, PermissionCache, PermissionListener } from './permission-cache.ts';
import type { PresenceRoom, PresenceRooms } from './presence-rooms.ts';

/** Why a document is over for a client. After `lost` and `malformed` the whole socket is. */
export type CloseReason = 'note_deleted' | 'note_too_large' | 'foreign_lineage' | 'revoked' | 'lost' | 'malformed';

/** Why an update was not taken. */
export type RejectReason = 'read_only' | 'missing' | 'malformed' | 'foreign' | 'costly' | 'too_large' | 'lost';

/** How an endpoint says things to its client, in its own protocol. Nothing of it throws. */
export interface ProtocolWriter {
  scope(scope: 'read-write' | 'readonly'): void;
  /** What the client lacks, whole. */
  state(update: Uint8Array): void;
  /** Asks for what we lack, given what we have. */
  request(vector: Uint8Array): void;
  update(update: Uint8Array): void;
  /** One update of the client is on disk (null), or was refused. */
  acknowledge(reason: RejectReason | null): void;
  awareness(update: Uint8Array): void;
  close(end: CloseReason): void;
}

/** A document open for one client. */
export interface Subscription {
  /** Takes the client's messages in their order; what cannot be done at once waits, counted on the peer. */
  handle(message: Message, bytes: number): void;
  /** The client goes on by another credential. */
  changePermission(permission: Permission): void;
  /** The client left, or its socket did: nothing more is sent; what was taken is still done. */
  leave(): void;
}

export interface SubscriptionDeps {
  readonly permissions: PermissionCache;
  readonly rooms: PresenceRooms;
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

interface WaitingMessage {
  readonly message: Message;
  readonly bytes: number;
}

/** An update of this client on its way; `whole`: all it has, as protocols send after connecting. */
interface ReceivedUpdate {
  readonly update: Uint8Array;
  readonly whole: boolean;
  readonly bytes: number;
}

/** A note open for one client: what it may do is asked of the authority, what is done is done by the live note. */
export class NoteSubscription implements Subscription, PermissionListener, Watcher {
  readonly #deps: SubscriptionDeps;
  readonly #connection: Connection;
  readonly #writer: ProtocolWriter;
  #permission: Permission;
  #live: LiveNote | undefined;
  #room: PresenceRoom | undefined;
  #closed = false;
  readonly #waiting: WaitingMessage[] = [];
  #working = false;
  #inFlight = 0;
  /** Came in this turn: handed on together at its end. */
  #received: ReceivedUpdate[] = [];
  #onLanded: (() => void) | undefined;
  #hasPublished = false;

  private constructor(deps: SubscriptionDeps, connection: Connection, writer: ProtocolWriter, permission: Permission) {
    this.#deps = deps;
    this.#connection = connection;
    this.#writer = writer;
    this.#permission = deps.permissions.join(permission, this);
  }

  /** Throws as LiveNotes.open does. The outlet hears its scope first, then who else watches. */
  static async open(
    deps: SubscriptionDeps,
    client: { readonly connection: Connection; readonly writer: ProtocolWriter },
    permission: Permission,
    note: NoteId,
  ): Promise<NoteSubscription> {
    const subscription = new NoteSubscription(deps, client.connection, client.writer, permission);
    try {
      subscription.#live = await deps.live.open(permission.vault, note, subscription);
    } catch (error) {
      subscription.#end();
      throw error;
    }
    if (subscription.#closed) subscription.#dispose();
    else subscription.#begin(note);
    return subscription;
  }

  #begin(note: NoteId): void {
    this.permissionChanged();
    this.#room = this.#deps.rooms.join(note, this.#permission.vault, this);
    const present = this.#room.presence.states();
    if (present.length > 0) this.#writer.awareness(writeStates(present));
  }

  handle(message: Message, bytes: number): void {
    if (this.#closed) return;
    if (!this.#working && this.#mayHandle(message)) {
      const work = this.#dispatch(message, bytes);
      if (work === undefined) return;
      this.#working = true;
      void this.#workOff(work);
      return;
    }
    this.#connection.acquire(bytes + MESSAGE_OVERHEAD);
    this.#waiting.push({ message, bytes });
    if (!this.#working) {
      this.#working = true;
      void this.#workOff(undefined);
    }
  }

  changePermission(permission: Permission): void {
    if (this.#closed) return;
    this.#deps.permissions.release(this.#permission, this);
    this.#permission = this.#deps.permissions.join(permission, this);
    this.permissionChanged();
  }

  leave(): void {
    this.#end();
  }

  // As a holder of a right

  revoked(): void {
    this.#finish('revoked');
  }

  permissionChanged(): void {
    if (!this.#closed) this.#writer.scope(this.#permission.mayWrite ? 'read-write' : 'readonly');
  }

  // As a watcher of the note

  update(update: Uint8Array): void {
    if (!this.#closed) this.#writer.update(update);
  }

  closed(reason: 'note_deleted' | 'note_too_large' | 'lost'): void {
    this.#finish(reason);
  }

  // As a member of the presence room

  awareness(update: Uint8Array): void {
    if (!this.#closed) this.#writer.awareness(update);
  }

  /** Works off what waits, one message after the other; `first` is under way already. */
  async #workOff(first: Promise<void> | undefined): Promise<void> {
    try {
      await first;
      // A client that left is still owed what it sent before.
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        if (!this.#mayHandle(next.message)) await this.#wait();
        const work = this.#dispatch(next.message, next.bytes);
        if (work !== undefined) await work;
        this.#waiting.shift();
        this.#connection.release(next.bytes + MESSAGE_OVERHEAD);
      }
    } catch (error) {
      this.#failed(error);
    }
    this.#working = false;
    for (const { bytes } of this.#waiting.splice(0)) this.#connection.release(bytes + MESSAGE_OVERHEAD);
    if (this.#closed) this.#dispose();
  }

  /** Whether a message can be worked on without finding something out first. */
  #mayHandle(message: Message): boolean {
    if (message.kind === 'awareness' || message.kind === 'query') return true;
    return this.#inFlight < IN_FLIGHT_MAX && this.#deps.permissions.isFresh(this.#permission);
  }

  async #wait(): Promise<void> {
    while (this.#inFlight >= IN_FLIGHT_MAX) {
      await new Promise<void>((resolve) => {
        this.#onLanded = resolve;
      });
    }
    if (!this.#deps.permissions.isFresh(this.#permission)) await this.#deps.permissions.refresh(this.#permission);
  }

  #dispatch(message: Message, bytes: number): Promise<void> | undefined {
    switch (message.kind) {
      case 'step1':
        // What it sent before is in the answer.
        this.#forward();
        return this.#answer(message.vector);
      case 'step2':
      case 'update':
        return this.#write(message, bytes);
      case 'awareness':
        this.#receive(message.update);
        return undefined;
      case 'query':
        this.#writer.awareness(writeStates(this.#room?.presence.states() ?? []));
        return undefined;
      default:
        return undefined;
    }
  }

  /** What the client lacks, then the question what we lack. */
  async #answer(vector: Uint8Array): Promise<void> {
    await this.#connection.drained();
    const live = this.#live;
    if (this.#closed || live === undefined) return;
    const missing = await live.missingFor(vector);
    if (missing === 'foreign' && this.#permission.mayWrite) {
      // Its text must not be lost: asked for whole, it comes as an update, which is refused and kept as a version.
      return this.#closed ? undefined : this.#writer.request(EMPTY_VECTOR);
    }
    if (typeof missing === 'string') return this.#finish(missing === 'foreign' ? 'foreign_lineage' : 'malformed');
    this.#connection.charge(missing.byteLength);
    const ours = await live.stateVector();
    if (this.#closed) return;
    this.#writer.state(missing);
    this.#writer.request(ours);
  }

  #write({ kind, update }: Extract<Message, { update: Uint8Array }>, bytes: number): Promise<void> | undefined {
    const live = this.#live;
    if (live === undefined) return undefined;
    if (!this.#permission.mayWrite) return this.#rejectReadOnly(live, kind === 'step2', update);
    if (update.byteLength > UPDATE_BYTES_MAX) return this.#reject('too_large');
    this.#inFlight += 1;
    this.#connection.acquire(bytes + MESSAGE_OVERHEAD);
    if (this.#received.length === 0) queueMicrotask(() => this.#forward());
    this.#received.push({ update, whole: kind === 'step2', bytes });
    return undefined;
  }

  /** What came together shares a row of the log, and is one message to those who watch. */
  #forward(): void {
    const [received, live] = [this.#received, this.#live];
    if (received.length === 0 || live === undefined) return;
    this.#received = [];
    const { kind, name } = this.#permission.principal;
    const updates = received.map(({ update }) => update);
    live
      .apply(updates, { kind, name })
      .then((results) => this.#applied(received, results))
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#inFlight -= received.length;
        for (const { bytes } of received) this.#connection.release(bytes + MESSAGE_OVERHEAD);
        this.#onLanded?.();
        if (this.#closed) this.#dispose();
      });
  }

  async #applied(received: readonly ReceivedUpdate[], results: readonly ApplyOutcome[]): Promise<void> {
    let asks = 0;
    for (const [index, result] of results.entries()) {
      if (result === 'stored' || result === 'known') this.#acknowledge(null);
      else this.#reject(result);
      // Who sent all it has and still depends on more would be asked for ever.
      if (result === 'missing' && received[index]?.whole === false) asks += 1;
    }
    if (asks === 0) return;
    const ours = await this.#live?.stateVector();
    // For each of them: clients count what is acknowledged, and the answer to this is what makes up for a refusal.
    for (let asked = 0; asked < asks && ours !== undefined && !this.#closed; asked++) this.#writer.request(ours);
  }

  /** A watcher may send all it has, as protocols do after connecting, as long as that is nothing new. */
  async #rejectReadOnly(live: LiveNote, whole: boolean, update: Uint8Array): Promise<void> {
    const adds = !whole || (await live.lacks(update));
    this.#acknowledge(adds ? 'read_only' : null);
  }

  #reject(why: RejectReason): undefined {
    this.#acknowledge(why);
    if (why === 'foreign') this.#finish('foreign_lineage');
    if (why === 'too_large') this.#finish('note_too_large');
    if (why === 'lost') this.#finish('lost');
  }

  #acknowledge(reason: RejectReason | null): void {
    if (!this.#closed) this.#writer.acknowledge(reason);
  }

  #failed(error: unknown): void {
    if (rejectReasonOf(error) === null) this.#reject('lost');
    else this.#finish('note_deleted');
  }

  #receive(update: Uint8Array): void {
    const states: State[] | null = readStates(update);
    if (states === null || this.#closed) return;
    this.#room?.publish(this, states, !this.#hasPublished);
    this.#hasPublished = true;
  }

  #finish(end: CloseReason): void {
    if (this.#closed) return;
    this.#end();
    this.#writer.close(end);
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#room?.leave(this);
    this.#dispose();
  }

  /** Lets go of the note once nothing of this client is on its way any more. */
  #dispose(): void {
    if (this.#working || this.#inFlight > 0) return;
    this.#deps.permissions.release(this.#permission, this);
    this.#live?.[Symbol.dispose]();
    this.#live = undefined;
  }
}

/** Why a document that may be opened cannot be, when trying again would not help; else null. */
export function rejectReasonOf(error: unknown): 'permission-denied' | 'unreadable' | null {
  if (!(error instanceof NotevaultError)) return null;
  if (error.code === 'note_not_found') return 'permission-denied';
  return error.code === 'note_unreadable' || error.code === 'vault_unreadable' ? 'unreadable' : null;
}
