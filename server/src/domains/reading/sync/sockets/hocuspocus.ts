import {
  Frames,
  MalformedFrame,
  type Message,
  pingFrame,
  pongFrame,
  readNamed,
  singleMessageKind,
} from '@notevault/protocol/socket-frames.ts';
import { NIL_UUID, type NoteId, parseUuid, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { Collaboration, Target } from './collaboration.ts';
import { type Caller, CLOSE_CODES, type Connection, MESSAGE_OVERHEAD } from './connection.ts';
import type { Permission } from './permission-cache.ts';
import { type ProtocolWriter, rejectReasonOf, type Subscription, type WaitingMessage } from './subscription.ts';

/** A document that is open or being opened. */
interface Entry {
  readonly frames: Frames;
  readonly target: Target | null;
  /** Undefined until the document is open. */
  subscription: Subscription | undefined;
  /** Messages received after the token, waiting for the decision on it. */
  readonly waiting: WaitingMessage[];
  /** The client left or was closed: nothing more is sent. */
  closed: boolean;
}

const TOKEN_MAX = 4096;
/** The cost of a token that is being checked: past a number of such tokens the socket is not read. */
const AUTH_COST = 16 * 1024;

/**
 * One socket of the Hocuspocus provider with documents by name, each authorized by its own token. A name is a note id,
 * or `vault:` and a vault id. The client may append a NUL and any text, so that two tabs of a page can share a socket.
 */
export class HocuspocusSession {
  readonly #context: Collaboration;
  readonly #connection: Connection;
  readonly #caller: Caller;
  readonly #entries = new Map<string, Entry>();
  readonly #users = new Set<UserId>();
  #closed = false;

  constructor(context: Collaboration, connection: Connection, caller: Caller) {
    this.#context = context;
    this.#connection = connection;
    this.#caller = caller;
  }

  message(data: Uint8Array): void {
    const sole = singleMessageKind(data);
    if (sole === 'ping') this.#connection.send(pongFrame);
    if (sole !== null) return;
    try {
      const { name, message } = readNamed(data);
      this.#dispatch(name, message, data.byteLength);
    } catch (error) {
      if (!(error instanceof MalformedFrame)) throw error;
      this.#connection.close(CLOSE_CODES.malformed, 'not a message');
    }
  }

  ping(): void {
    this.#connection.send(pingFrame);
  }

  closed(): void {
    this.#closed = true;
    for (const entry of this.#entries.values()) this.#drop(entry);
    this.#entries.clear();
    for (const user of this.#users) this.#context.removeSocket(user);
    this.#users.clear();
  }

  #dispatch(name: string, message: Message, bytes: number): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      // Ignored: the client itself resends messages sent before its token or after a refusal.
      if (message.kind === 'token') this.#authenticate(name, message.token);
      return;
    }
    if (message.kind === 'close') {
      // The name is free at once; earlier messages are still processed. No CLOSE is sent back, because it could reach
      // the next provider of that name.
      this.#removeEntry(name, entry);
    } else if (entry.subscription === undefined) {
      this.#connection.acquire(bytes + MESSAGE_OVERHEAD);
      entry.waiting.push({ message, bytes });
    } else if (message.kind === 'token') void this.#reauthenticate(name, entry, entry.subscription, message.token);
    else entry.subscription.handle(message, bytes);
  }

  #authenticate(name: string, token: string): void {
    const frames = new Frames(name);
    if (this.#entries.size >= this.#context.limits.documentsPerSocket) {
      this.#connection.send(frames.denied('too-many-documents'));
      return;
    }
    const entry: Entry = { frames, target: targetOf(name), subscription: undefined, waiting: [], closed: false };
    this.#entries.set(name, entry);
    void this.#open(name, entry, token);
  }

  async #open(name: string, entry: Entry, token: string): Promise<void> {
    try {
      const permission = await this.#decide(entry, token);
      if (entry.closed) return;
      if (permission === null) return this.#deny(name, entry, 'permission-denied');
      if (!this.#addUser(permission.principal.userId)) return;
      const client = { connection: this.#connection, writer: this.#writerOf(name, entry) };
      if (entry.target === null) return;
      const subscription = await this.#context.subscribe(client, permission, entry.target);
      if (entry.closed) return subscription.leave();
      entry.subscription = subscription;
      for (const { message, bytes } of this.#release(entry)) this.#dispatch(name, message, bytes);
    } catch (error) {
      if (!entry.closed) this.#failed(name, entry, error);
    }
  }

  /** Handles a second token for an open document: a renewal in time, or a new login. */
  async #reauthenticate(name: string, entry: Entry, subscription: Subscription, token: string): Promise<void> {
    try {
      const permission = await this.#decide(entry, token);
      if (entry.closed) return;
      if (permission === null) this.#deny(name, entry, 'permission-denied');
      else if (this.#addUser(permission.principal.userId)) subscription.changePermission(permission);
    } catch (error) {
      if (!entry.closed) this.#failed(name, entry, error);
    }
  }

  async #decide({ target }: Entry, token: string): Promise<Permission | null> {
    this.#connection.acquire(AUTH_COST);
    try {
      const due = this.#context.refusalDelay();
      const credential = token.length <= TOKEN_MAX ? token : '';
      const decision = await this.#context.decide(credential, this.#caller, target ?? NOWHERE);
      const permission = target === null ? null : decision.permission;
      if (permission === null) await due;
      return permission;
    } finally {
      this.#connection.release(AUTH_COST);
    }
  }

  #addUser(userId: UserId): boolean {
    if (this.#closed) return false;
    if (!this.#users.has(userId)) {
      if (!this.#context.addSocket(userId)) {
        this.#connection.close(CLOSE_CODES.later, 'too many sockets');
        return false;
      }
      this.#users.add(userId);
    }
    this.#connection.admit(userId);
    return true;
  }

  #failed(name: string, entry: Entry, error: unknown): void {
    const refusal = rejectReasonOf(error);
    if (refusal !== null) this.#deny(name, entry, refusal);
    else this.#connection.close(CLOSE_CODES.later, 'try again');
  }

  #deny(name: string, entry: Entry, reason: string): void {
    this.#removeEntry(name, entry);
    this.#connection.send(entry.frames.denied(reason));
  }

  #writerOf(name: string, entry: Entry): ProtocolWriter {
    const { frames } = entry;
    const send = (frame: Uint8Array) => {
      if (!entry.closed) this.#connection.send(frame);
    };
    return {
      scope: (scope) => send(frames.authenticated(scope)),
      state: (update) => send(frames.step2(update)),
      request: (vector) => send(frames.step1(vector)),
      update: (update) => send(frames.update(update)),
      acknowledge: (reason) => send(frames.status(reason === null)),
      awareness: (update) => send(frames.awareness(update)),
      changeHint: (type, seq) => send(frames.changeHint({ type, change_seq: seq })),
      close: (end) => {
        if (end === 'lost') this.#connection.close(CLOSE_CODES.again, 'try again');
        if (end === 'malformed') this.#connection.close(CLOSE_CODES.malformed, 'not a state vector');
        // Clients know one word for both, and for either the document is lost.
        const reason = end === 'removed' ? 'revoked' : end;
        if (reason === 'revoked') send(frames.denied(reason));
        send(frames.close(reason));
        this.#removeEntry(name, entry);
      },
    };
  }

  #removeEntry(name: string, entry: Entry): void {
    if (this.#entries.get(name) === entry) this.#entries.delete(name);
    this.#drop(entry);
  }

  #drop(entry: Entry): void {
    entry.closed = true;
    entry.subscription?.leave();
    this.#release(entry);
  }

  #release(entry: Entry): Entry['waiting'] {
    const waiting = entry.waiting.splice(0);
    for (const { bytes } of waiting) this.#connection.release(bytes + MESSAGE_OVERHEAD);
    return waiting;
  }
}

/** Looked up when a name is invalid, so that refusing it costs the same. */
const NOWHERE: Target = { note: NIL_UUID as NoteId };

function targetOf(name: string): Target | null {
  const [address = ''] = name.split('\0', 1);
  if (address.startsWith('vault:')) {
    const vault = parseUuid(address.slice('vault:'.length));
    return vault === null ? null : { vault: vault as VaultId };
  }
  const note = parseUuid(address);
  return note === null ? null : { note: note as NoteId };
}
