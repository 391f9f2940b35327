import { type NoteId, parseUuid, type UserId, type VaultId } from '@notevault/protocol/ids.ts';
import type { Right } from './authority.ts';
import { Frames, MalformedFrame, type Message, pingFrame, pongFrame, readNamed, soleKind } from './frames.ts';
import { type Caller, CLOSE, type Peer } from './peer.ts';
import { refusalOf, type Subscription, type Untaken } from './subscription.ts';
import type { Target, Threshold } from './threshold.ts';
import type { SignalOutlet } from './vault-subscription.ts';

/** A document on its way to being open, or open. */
interface Entry {
  readonly frames: Frames;
  readonly target: Target | null;
  /** Undefined until it is open. */
  subscription: Subscription | undefined;
  /** What came since its token, and waits until the token is decided on. */
  readonly waiting: { readonly message: Message; readonly bytes: number }[];
  /** It left, or was closed: nothing more is said of it. */
  gone: boolean;
}

const MESSAGE_OVERHEAD = 128;
const TOKEN_MAX = 4096;
/** What a token that is not decided on counts for: so many at once are looked up, then the socket is not read from. */
const DECISION_COST = 16 * 1024;

/**
 * One socket of the Hocuspocus provider: documents by name, each let in by its own token. A name is an id, or `vault:`
 * and one, and may go on behind a NUL as its client likes: two tabs of one page then share a socket.
 */
export class HocuspocusConversation {
  readonly #threshold: Threshold;
  readonly #peer: Peer;
  readonly #caller: Caller;
  readonly #entries = new Map<string, Entry>();
  readonly #users = new Set<UserId>();
  #closed = false;

  constructor(threshold: Threshold, peer: Peer, caller: Caller) {
    this.#threshold = threshold;
    this.#peer = peer;
    this.#caller = caller;
  }

  message(data: Uint8Array): void {
    const sole = soleKind(data);
    if (sole === 'ping') this.#peer.send(pongFrame);
    if (sole !== null) return;
    try {
      const { name, message } = readNamed(data);
      this.#dispatch(name, message, data.byteLength);
    } catch (error) {
      if (!(error instanceof MalformedFrame)) throw error;
      this.#peer.close(CLOSE.malformed, 'not a message');
    }
  }

  ping(): void {
    this.#peer.send(pingFrame);
  }

  closed(): void {
    this.#closed = true;
    for (const entry of this.#entries.values()) this.#drop(entry);
    this.#entries.clear();
    for (const user of this.#users) this.#threshold.gone(user);
    this.#users.clear();
  }

  #dispatch(name: string, message: Message, bytes: number): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      // What comes before its token, or behind a refusal, its client sends again by itself.
      if (message.kind === 'token') this.#enter(name, message.token);
      return;
    }
    if (message.kind === 'close') {
      // The name is free at once; what was sent before is still done. No CLOSE back: it could meet the next provider.
      this.#forget(name, entry);
    } else if (entry.subscription === undefined) {
      this.#peer.take(bytes + MESSAGE_OVERHEAD);
      entry.waiting.push({ message, bytes });
    } else if (message.kind === 'token') void this.#reenter(name, entry, entry.subscription, message.token);
    else entry.subscription.take(message, bytes);
  }

  #enter(name: string, token: string): void {
    const frames = new Frames(name);
    if (this.#entries.size >= this.#threshold.limits.documentsPerSocket) {
      this.#peer.send(frames.denied('too-many-documents'));
      return;
    }
    const entry: Entry = { frames, target: targetOf(name), subscription: undefined, waiting: [], gone: false };
    this.#entries.set(name, entry);
    void this.#open(name, entry, token);
  }

  async #open(name: string, entry: Entry, token: string): Promise<void> {
    try {
      const right = await this.#decide(entry, token);
      if (entry.gone) return;
      if (right === null) return this.#deny(name, entry, 'permission-denied');
      if (!this.#arrive(right.principal.userId)) return;
      const client = { peer: this.#peer, outlet: this.#outlet(name, entry) };
      if (entry.target === null) return;
      const subscription = await this.#threshold.subscribe(client, right, entry.target);
      if (entry.gone) return subscription.leave();
      entry.subscription = subscription;
      for (const { message, bytes } of this.#release(entry)) this.#dispatch(name, message, bytes);
    } catch (error) {
      if (!entry.gone) this.#failed(name, entry, error);
    }
  }

  /** The client shows another token for a document that is open: a new one in time, or it begins anew. */
  async #reenter(name: string, entry: Entry, subscription: Subscription, token: string): Promise<void> {
    try {
      const right = await this.#decide(entry, token);
      if (entry.gone) return;
      if (right === null) this.#deny(name, entry, 'permission-denied');
      else if (this.#arrive(right.principal.userId)) subscription.moveTo(right);
    } catch (error) {
      if (!entry.gone) this.#failed(name, entry, error);
    }
  }

  async #decide({ target }: Entry, token: string): Promise<Right | null> {
    this.#peer.take(DECISION_COST);
    try {
      const due = this.#threshold.refusalDue();
      const shown = token.length <= TOKEN_MAX ? token : '';
      const decided = await this.#threshold.decide(shown, this.#caller, target ?? NOWHERE);
      const right = target === null ? null : decided.right;
      if (right === null) await due;
      return right;
    } finally {
      this.#peer.give(DECISION_COST);
    }
  }

  #arrive(userId: UserId): boolean {
    if (this.#closed) return false;
    if (!this.#users.has(userId)) {
      if (!this.#threshold.arrive(userId)) {
        this.#peer.close(CLOSE.later, 'too many sockets');
        return false;
      }
      this.#users.add(userId);
    }
    this.#peer.admit();
    return true;
  }

  #failed(name: string, entry: Entry, error: unknown): void {
    const refusal = refusalOf(error);
    if (refusal !== null) this.#deny(name, entry, refusal);
    else this.#peer.close(CLOSE.later, 'try again');
  }

  #deny(name: string, entry: Entry, reason: string): void {
    this.#forget(name, entry);
    this.#peer.send(entry.frames.denied(reason));
  }

  #outlet(name: string, entry: Entry): SignalOutlet {
    const { frames } = entry;
    const send = (frame: Uint8Array) => {
      if (!entry.gone) this.#peer.send(frame);
    };
    return {
      scope: (scope) => send(frames.authenticated(scope)),
      state: (update) => send(frames.step2(update)),
      ask: (vector) => send(frames.step1(vector)),
      update: (update) => send(frames.update(update)),
      settled: (untaken: Untaken | null) => send(frames.status(untaken === null)),
      awareness: (update) => send(frames.awareness(update)),
      changed: (seq) => send(frames.stateless(JSON.stringify({ type: 'changed', change_seq: seq }))),
      over: (end) => {
        if (end === 'lost') this.#peer.close(CLOSE.again, 'try again');
        if (end === 'malformed') this.#peer.close(CLOSE.malformed, 'not a state vector');
        if (end === 'revoked') send(frames.denied('revoked'));
        send(frames.close(end));
        this.#forget(name, entry);
      },
    };
  }

  #forget(name: string, entry: Entry): void {
    if (this.#entries.get(name) === entry) this.#entries.delete(name);
    this.#drop(entry);
  }

  #drop(entry: Entry): void {
    entry.gone = true;
    entry.subscription?.leave();
    this.#release(entry);
  }

  #release(entry: Entry): Entry['waiting'] {
    const waiting = entry.waiting.splice(0);
    for (const { bytes } of waiting) this.#peer.give(bytes + MESSAGE_OVERHEAD);
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
