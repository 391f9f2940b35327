import { kindsInUrl } from '@notevault/protocol/operations.ts';
import { Frames, MalformedFrame, readPlain } from '@notevault/protocol/socket-frames.ts';
import { NIL_UUID, type NoteId, type UserId } from '@notevault/protocol/values/ids.ts';
import { bearerOf } from '../../../foundation/tokens/tokens.ts';
import { noStates } from './awareness.ts';
import type { Collaboration, Credential } from './collaboration.ts';
import { type Caller, CLOSE_CODES, type Connection, MESSAGE_OVERHEAD } from './connection.ts';
import {
  type CloseReason,
  type ProtocolWriter,
  type RejectReason,
  rejectReasonOf,
  type Subscription,
  type WaitingMessage,
} from './subscription.ts';

const CLOSE_CODE_OF: Readonly<Record<CloseReason, number>> = {
  note_deleted: CLOSE_CODES.noNote,
  note_too_large: CLOSE_CODES.tooLarge,
  foreign_lineage: CLOSE_CODES.foreign,
  unsupported_update: CLOSE_CODES.unsupported,
  revoked: CLOSE_CODES.credential,
  removed: CLOSE_CODES.notAllowed,
  lost: CLOSE_CODES.again,
  malformed: CLOSE_CODES.badRequest,
};

const frames = new Frames(null);

/** One socket of y-websocket: it carries one note, without acknowledgements. Every error closes it with a code. */
export class YWebsocketSession {
  readonly #context: Collaboration;
  readonly #connection: Connection;
  readonly #waiting: WaitingMessage[] = [];
  #subscription: Subscription | undefined;
  #user: UserId | undefined;
  #closed = false;

  constructor(
    context: Collaboration,
    connection: Connection,
    caller: Caller,
    note: NoteId | null,
    credential: Credential,
  ) {
    this.#context = context;
    this.#connection = connection;
    void this.#open(caller, note, credential);
  }

  message(data: Uint8Array): void {
    try {
      const message = readPlain(data);
      if (this.#subscription !== undefined) {
        this.#subscription.handle(message, data.byteLength);
        return;
      }
      this.#connection.acquire(data.byteLength + MESSAGE_OVERHEAD);
      this.#waiting.push({ message, bytes: data.byteLength });
    } catch (error) {
      if (!(error instanceof MalformedFrame)) throw error;
      this.#connection.close(CLOSE_CODES.badRequest, 'not a message');
    }
  }

  /** Clients accept any message as a keep-alive, and reconnect after 30 seconds without one. */
  ping(): void {
    this.#connection.send(frames.awareness(noStates));
  }

  closed(): void {
    this.#closed = true;
    this.#subscription?.leave();
    this.#subscription = undefined;
    for (const { bytes } of this.#waiting.splice(0)) this.#connection.release(bytes + MESSAGE_OVERHEAD);
    if (this.#user !== undefined) this.#context.removeSocket(this.#user);
    this.#user = undefined;
  }

  async #open(caller: Caller, note: NoteId | null, credential: Credential): Promise<void> {
    try {
      const due = this.#context.refusalDelay();
      const { authorization, token } = credential;
      const credentialOf = (authorization === null ? token : bearerOf(authorization)) ?? '';
      const { principal, permission } = await this.#context.decide(credentialOf, caller, { note: note ?? NOWHERE });
      const known = principal !== null && (authorization !== null || kindsInUrl.includes(principal.kind));
      if (!known || permission === null || note === null) {
        await due;
        return this.#connection.close(
          known ? CLOSE_CODES.noNote : CLOSE_CODES.credential,
          known ? 'no such note' : 'credential',
        );
      }
      if (this.#closed) return;
      if (!this.#context.addSocket(principal.userId))
        return this.#connection.close(CLOSE_CODES.later, 'too many sockets');
      this.#user = principal.userId;
      this.#connection.admit(principal.userId);
      const client = { connection: this.#connection, writer: this.#writer() };
      const subscription = await this.#context.subscribe(client, permission, { note });
      if (this.#closed) return subscription.leave();
      this.#subscription = subscription;
      for (const { message, bytes } of this.#waiting.splice(0)) {
        this.#connection.release(bytes + MESSAGE_OVERHEAD);
        subscription.handle(message, bytes);
      }
    } catch (error) {
      const refused = rejectReasonOf(error) !== null;
      this.#connection.close(refused ? CLOSE_CODES.noNote : CLOSE_CODES.later, refused ? 'no such note' : 'try again');
    }
  }

  #writer(): ProtocolWriter {
    return {
      scope: () => undefined,
      changeHint: () => undefined,
      state: (update) => this.#connection.send(frames.step2(update)),
      request: (vector) => this.#connection.send(frames.step1(vector)),
      update: (update) => this.#connection.send(frames.update(update)),
      acknowledge: (reason) => this.#acknowledged(reason),
      awareness: (update) => this.#connection.send(frames.awareness(update)),
      close: (end) => this.#connection.close(CLOSE_CODE_OF[end], end),
    };
  }

  /** The protocol cannot reject an update: the socket is closed, so that the client does not take it for stored. */
  #acknowledged(reason: RejectReason | null): void {
    if (reason === 'read_only') this.#connection.close(CLOSE_CODES.notAllowed, 'read-only');
    if (reason === 'malformed') this.#connection.close(CLOSE_CODES.badRequest, 'not an update');
  }
}

/** Looked up when an id is invalid, so that refusing it costs the same. */
const NOWHERE = NIL_UUID as NoteId;
