import { type NoteId, parseUuid, type UserId, type VaultId } from '@notevault/protocol/ids.ts';
import {
  Frames,
  MalformedFrame,
  type Message,
  pingFrame,
  pongFrame,
  readNamed,
  singleMessageKind,
} from '@notevault/protocol/socket-frames.ts';
import { type Caller, CLOSE_CODES, type Connection } from './connection.ts';
import type { Permission } from './permission-cache.ts';
import type { SessionContext, Target } from './session-context.ts';
import { type RejectReason, rejectReasonOf, type Subscription } from './subscription.ts';
import type { ChangeWriter } from './vault-subscription.ts';

/** A document on its way to being open, or open. */
interface Entry {
  readonly frames: Frames;
  readonly target: Target | null;
  /** Undefined until it is open. */
  subscription: Subscription | undefined;
  /** What came since its token, and waits until the token is decided on. */
  readonly waiting: { readonly message: Message; readonly bytes: number }[];
  /** It left, or was closed: nothing more is said of it. */
  closed: boolean;
}

const MESSAGE_OVERHEAD = 128;
const TOKEN_MAX = 4096;
/** What a token that is not decided on counts for: so many at once are looked up, then the socket is not read from. */
const AUTH_COST = 16 * 1024;

/**
 * One socket of the Hocuspocus provider: documents by name, each let in by its own token. A name is an id, or `vault:`
 * and one, and may go on behind a NUL as its client likes: two tabs of one page then share a socket.
 */
export class HocuspocusSession {
  readonly #context: SessionContext;
  readonly #connection: Connection;
  readonly #caller: Caller;
  readonly #entries = new Map<string, Entry>();
  readonly #users = new Set<UserId>();
  #closed = false;

  constructor(context: SessionContext, connection: Connection, caller: Caller) {
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
      // What comes before its token, or behind a refusal, its client sends again by itself.
      if (message.kind === 'token') this.#authenticate(name, message.token);
      return;
    }
    if (message.kind === 'close') {
      // The name is free at once; what was sent before is still done. No CLOSE back: it could meet the next provider.
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

  /** The client shows another token for a document that is open: a new one in time, or it begins anew. */
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
    this.#connection.admit();
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

  #writerOf(name: string, entry: Entry): ChangeWriter {
    const { frames } = entry;
    const send = (frame: Uint8Array) => {
      if (!entry.closed) this.#connection.send(frame);
    };
    return {
      scope: (scope) => send(frames.authenticated(scope)),
      state: (update) => send(frames.step2(update)),
      request: (vector) => send(frames.step1(vector)),
      update: (update) => send(frames.update(update)),
      acknowledge: (reason: RejectReason | null) => send(frames.status(reason === null)),
      awareness: (update) => send(frames.awareness(update)),
      changed: (seq) => send(frames.changed(seq)),
      close: (end) => {
        if (end === 'lost') this.#connection.close(CLOSE_CODES.again, 'try again');
        if (end === 'malformed') this.#connection.close(CLOSE_CODES.malformed, 'not a state vector');
        if (end === 'revoked') send(frames.denied('revoked'));
        send(frames.close(end));
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

/** Looked for in place of a name that is none, so that its refusal costs the same. */
const NOWHERE: Target = { note: '00000000-0000-0000-0000-000000000000' as NoteId };

function targetOf(name: string): Target | null {
  const [address = ''] = name.split('\0', 1);
  if (address.startsWith('vault:')) {
    const vault = parseUuid(address.slice('vault:'.length));
    return vault === null ? null : { vault: vault as VaultId };
  }
  const note = parseUuid(address);
  return note === null ? null : { note: note as NoteId };
}
