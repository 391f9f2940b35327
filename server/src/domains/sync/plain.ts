import type { NoteId, UserId } from '@notevault/protocol/ids.ts';
import { bearerOf } from '../tokens/tokens.ts';
import { noStates } from './awareness.ts';
import { Frames, MalformedFrame, type Message, readPlain } from './frames.ts';
import { type Caller, CLOSE, type Peer } from './peer.ts';
import { type End, type Outlet, refusalOf, type Subscription, type Untaken } from './subscription.ts';
import type { Credential, Threshold } from './threshold.ts';

const END_CODES: Readonly<Record<End, number>> = {
  note_deleted: CLOSE.noNote,
  note_too_large: CLOSE.tooLarge,
  foreign_lineage: CLOSE.foreign,
  revoked: CLOSE.credential,
  lost: CLOSE.again,
  malformed: CLOSE.badRequest,
};

const frames = new Frames(null);
const MESSAGE_OVERHEAD = 128;

/** One socket of y-websocket: one note, and nothing is acknowledged. What it cannot do closes it with a code. */
export class PlainConversation {
  readonly #threshold: Threshold;
  readonly #peer: Peer;
  readonly #waiting: { readonly message: Message; readonly bytes: number }[] = [];
  #subscription: Subscription | undefined;
  #user: UserId | undefined;
  #closed = false;

  constructor(threshold: Threshold, peer: Peer, caller: Caller, note: NoteId | null, credential: Credential) {
    this.#threshold = threshold;
    this.#peer = peer;
    void this.#open(caller, note, credential);
  }

  message(data: Uint8Array): void {
    try {
      const message = readPlain(data);
      if (this.#subscription !== undefined) {
        this.#subscription.take(message, data.byteLength);
        return;
      }
      this.#peer.take(data.byteLength + MESSAGE_OVERHEAD);
      this.#waiting.push({ message, bytes: data.byteLength });
    } catch (error) {
      if (!(error instanceof MalformedFrame)) throw error;
      this.#peer.close(CLOSE.badRequest, 'not a message');
    }
  }

  /** Its clients take any message for life, and reconnect after 30 seconds without one. */
  ping(): void {
    this.#peer.send(frames.awareness(noStates));
  }

  closed(): void {
    this.#closed = true;
    this.#subscription?.leave();
    this.#subscription = undefined;
    for (const { bytes } of this.#waiting.splice(0)) this.#peer.give(bytes + MESSAGE_OVERHEAD);
    if (this.#user !== undefined) this.#threshold.gone(this.#user);
    this.#user = undefined;
  }

  async #open(caller: Caller, note: NoteId | null, credential: Credential): Promise<void> {
    try {
      const due = this.#threshold.refusalDue();
      const { authorization, token } = credential;
      const shown = (authorization === null ? token : bearerOf(authorization)) ?? '';
      const { principal, right } = await this.#threshold.decide(shown, caller, { note: note ?? NOWHERE });
      const notThere = principal?.kind === 'oauth' || principal?.kind === 'device';
      const known = principal !== null && !(authorization === null && notThere);
      if (!known || right === null || note === null) {
        await due;
        return this.#peer.close(known ? CLOSE.noNote : CLOSE.credential, known ? 'no such note' : 'credential');
      }
      if (this.#closed) return;
      if (!this.#threshold.arrive(principal.userId)) return this.#peer.close(CLOSE.later, 'too many sockets');
      this.#user = principal.userId;
      this.#peer.admit();
      const subscription = await this.#threshold.subscribeNote(
        { peer: this.#peer, outlet: this.#outlet() },
        right,
        note,
      );
      if (this.#closed) return subscription.leave();
      this.#subscription = subscription;
      for (const { message, bytes } of this.#waiting.splice(0)) {
        this.#peer.give(bytes + MESSAGE_OVERHEAD);
        subscription.take(message, bytes);
      }
    } catch (error) {
      const refused = refusalOf(error) !== null;
      this.#peer.close(refused ? CLOSE.noNote : CLOSE.later, refused ? 'no such note' : 'try again');
    }
  }

  #outlet(): Outlet {
    return {
      scope: () => undefined,
      state: (update) => this.#peer.send(frames.step2(update)),
      ask: (vector) => this.#peer.send(frames.step1(vector)),
      update: (update) => this.#peer.send(frames.update(update)),
      settled: (untaken) => this.#settled(untaken),
      awareness: (update) => this.#peer.send(frames.awareness(update)),
      over: (end) => this.#peer.close(END_CODES[end], end),
    };
  }

  /** There is no word for a refusal: a client that would go on as if nothing was must not go on. */
  #settled(untaken: Untaken | null): void {
    if (untaken === 'read_only') this.#peer.close(CLOSE.readOnly, 'read-only');
    if (untaken === 'malformed' || untaken === 'costly') this.#peer.close(CLOSE.badRequest, 'not an update');
  }
}

/** Looked for in place of an id that is none, so that its refusal costs the same. */
const NOWHERE = '00000000-0000-0000-0000-000000000000' as NoteId;
