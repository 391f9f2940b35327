import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { ChangeHint, Message } from '@notevault/protocol/socket-frames.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../../../concurrency/yield.ts';
import type { ApplyOutcome, LiveNote, LiveNotes, Watcher } from '../../../content/notes/notes.ts';
import { runUnder } from '../../../foundation/rights/rights.ts';
import { readStates, type State, writeStates } from './awareness.ts';
import { type Connection, MESSAGE_OVERHEAD } from './connection.ts';
import type { Lost, Permission, PermissionCache, PermissionListener } from './permission-cache.ts';
import type { PresenceRoom, PresenceRooms } from './presence-rooms.ts';

/**
 * Why a document is closed for a client: `revoked` with its credential, `removed` with the vault alone. `lost` and
 * `malformed` close the whole socket.
 */
export type CloseReason =
  | 'note_deleted'
  | 'note_too_large'
  | 'foreign_lineage'
  | 'unsupported_update'
  | 'revoked'
  | 'removed'
  | 'lost'
  | 'malformed';

export type RejectReason = 'read_only' | 'lost' | Exclude<ApplyOutcome, 'stored' | 'known'>;

/** Sends messages to a client in the protocol of its endpoint. None of its methods throws. */
export interface ProtocolWriter {
  scope(scope: 'read-write' | 'readonly'): void;
  /** Sends all that the client lacks as one update. */
  state(update: Uint8Array): void;
  /** Requests the updates that the server lacks, given its state vector. */
  request(vector: Uint8Array): void;
  update(update: Uint8Array): void;
  /** Reports that one update of the client is on disk (null) or was rejected. */
  acknowledge(reason: RejectReason | null): void;
  awareness(update: Uint8Array): void;
  /** Tells up to which seq a vault has changed. */
  changeHint(type: ChangeHint['type'], changeSeq: number): void;
  close(end: CloseReason): void;
}

/** A document open for one client. */
export interface Subscription {
  /** Handles the client's messages in order. Messages that must wait are queued and counted on the connection. */
  handle(message: Message, bytes: number): void;
  /** Switches the client to another credential. */
  changePermission(permission: Permission): void;
  /** Call when the client or its socket has closed: nothing more is sent, but received updates are still stored. */
  leave(): void;
}

export interface SubscriptionDeps {
  readonly permissions: PermissionCache;
  readonly rooms: PresenceRooms;
  readonly live: LiveNotes;
}

/** Maximum number of a client's updates being written at once; further ones wait. */
const IN_FLIGHT_MAX = 256;
/** Maximum bytes of an update; larger ones are rejected unread. A note of 10 MB fits, with any history. */
const UPDATE_BYTES_MAX = 16 * MB;
/** The state vector of an empty document. */
const EMPTY_VECTOR = Uint8Array.of(0);

export interface WaitingMessage {
  readonly message: Message;
  readonly bytes: number;
}

/** `whole`: whether it is the client's complete state, as protocols send after connecting. */
interface ReceivedUpdate {
  readonly update: Uint8Array;
  readonly whole: boolean;
  readonly bytes: number;
}

/** A note that is open for one client. It checks the permission and passes updates to the live note. */
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
  /** Updates received in this turn of the event loop, forwarded together at its end. */
  #received: ReceivedUpdate[] = [];
  /** Resolves once every forwarded update is answered; never rejects. Clients count answers, so they keep their order. */
  #answered: Promise<void> = Promise.resolve();
  #onLanded: (() => void) | undefined;
  #hasPublished = false;

  private constructor(deps: SubscriptionDeps, connection: Connection, writer: ProtocolWriter, permission: Permission) {
    this.#deps = deps;
    this.#connection = connection;
    this.#writer = writer;
    this.#permission = deps.permissions.join(permission, this);
  }

  /** Throws the errors of LiveNotes.open. The writer first gets the permission, then the presence of others. */
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

  // Methods of PermissionListener.

  revoked(lost: Lost): void {
    this.#finish(lost === 'vault' ? 'removed' : 'revoked');
  }

  permissionChanged(): void {
    if (!this.#closed) this.#writer.scope(this.#permission.mayWrite ? 'read-write' : 'readonly');
  }

  // Methods of Watcher.

  update(update: Uint8Array): void {
    if (!this.#closed) this.#writer.update(update);
  }

  closed(reason: 'note_deleted' | 'lost'): void {
    this.#finish(reason);
  }

  // Methods of a presence room member.

  awareness(update: Uint8Array): void {
    if (!this.#closed) this.#writer.awareness(update);
  }

  /** Processes the waiting messages in order; `first` has already started. */
  async #workOff(first: Promise<void> | undefined): Promise<void> {
    const yieldIfDue = createYield(this.#permission.principal.userId);
    try {
      await first;
      // Messages that a client sent before it left are still processed.
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        await yieldIfDue();
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

  /** Whether a message can be processed without waiting for a check. */
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
        // The answer must include the updates that the client sent before.
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

  /** Sends the updates that the client lacks, then requests those that the server lacks. */
  async #answer(vector: Uint8Array): Promise<void> {
    await this.#connection.drained();
    const live = this.#live;
    if (this.#closed || live === undefined) return;
    const missing = await live.missingFor(vector);
    if (missing === 'foreign' && this.#permission.mayWrite) {
      // Its text must not be lost: request the client's complete state, which is rejected and kept as a version.
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
    if (update.byteLength > UPDATE_BYTES_MAX) return this.#rejectTooLarge();
    this.#inFlight += 1;
    this.#connection.acquire(bytes + MESSAGE_OVERHEAD);
    if (this.#received.length === 0) queueMicrotask(() => this.#forward());
    this.#received.push({ update, whole: kind === 'step2', bytes });
    return undefined;
  }

  /** Updates received together share a row of the log and one message to the other subscribers. */
  #forward(): void {
    const [received, live] = [this.#received, this.#live];
    if (received.length === 0 || live === undefined) return;
    this.#received = [];
    const { kind, name, userId } = this.#permission.principal;
    const updates = received.map(({ update }) => update);
    const standing = this.#deps.permissions.standingOf(this.#permission);
    const results = runUnder(standing, () => live.apply(updates, { kind, name, userId }));
    // It may reject before the earlier updates are answered, when no caller awaits it yet.
    results.catch(() => undefined);
    this.#answered = this.#answered
      .then(() => results)
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
      // A client that has sent its complete state and still misses updates would be asked forever.
      if (result === 'missing' && received[index]?.whole === false) asks += 1;
    }
    if (asks === 0) return;
    const ours = await this.#live?.stateVector();
    // One request for each: clients count acknowledgements, and the answer to a request makes up for a rejection.
    for (let asked = 0; asked < asks && ours !== undefined && !this.#closed; asked++) this.#writer.request(ours);
  }

  /** A read-only client may send its complete state, as protocols do after connecting, if it contains nothing new. */
  async #rejectReadOnly(live: LiveNote, whole: boolean, update: Uint8Array): Promise<void> {
    const bytes = update.byteLength + MESSAGE_OVERHEAD;
    this.#connection.acquire(bytes);
    try {
      await this.#allAnswered();
      const adds = !whole || (await live.lacks(update));
      this.#acknowledge(adds ? 'read_only' : null);
    } finally {
      this.#connection.release(bytes);
    }
  }

  async #rejectTooLarge(): Promise<void> {
    await this.#allAnswered();
    this.#reject('too_large');
  }

  /** Resolves once the updates received so far are answered: a refusal keeps its place among the answers. */
  #allAnswered(): Promise<void> {
    this.#forward();
    return this.#answered;
  }

  #reject(why: RejectReason): undefined {
    this.#acknowledge(why);
    if (why === 'foreign') this.#finish('foreign_lineage');
    // Everything that the client types later depends on the refused edit.
    if (why === 'unsupported' || why === 'costly') this.#finish('unsupported_update');
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
    this.#room?.publish(this, states, this.#permission.principal, !this.#hasPublished);
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

  /** Releases the note once no update of this client is being processed. */
  #dispose(): void {
    if (this.#working || this.#inFlight > 0) return;
    this.#deps.permissions.release(this.#permission, this);
    this.#live?.[Symbol.dispose]();
    this.#live = undefined;
  }
}

/** Returns why a permitted document cannot be opened, if a retry would not help; else null. */
export function rejectReasonOf(error: unknown): 'permission-denied' | 'unreadable' | null {
  if (!(error instanceof NotevaultError)) return null;
  if (error.code === 'note_not_found') return 'permission-denied';
  return error.code === 'note_unreadable' || error.code === 'vault_unreadable' ? 'unreadable' : null;
}
