import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';

/*
 * The messages of the two WebSocket endpoints. A message of the Hocuspocus provider (version 4) is: document name,
 * kind, body; of y-websocket (version 3): kind, body. Bodies of common kinds are the same.
 */

const SYNC = 0;
const AWARENESS = 1;
const AUTH = 2;
const QUERY_AWARENESS = 3;
const STATELESS = 5;
const CLOSE = 7;
const SYNC_STATUS = 8;
const PING = 9;
const PONG = 10;

const STEP_1 = 0;
const STEP_2 = 1;
const UPDATE = 2;

const TOKEN = 0;
const PERMISSION_DENIED = 1;
const AUTHENTICATED = 2;

/** Longest document name: an id, its prefix and a session. */
const NAME_MAX = 256;

/** A client's message about a document. */
export type Message =
  | { readonly kind: 'step1'; readonly vector: Uint8Array }
  | { readonly kind: 'step2' | 'update'; readonly update: Uint8Array }
  | { readonly kind: 'awareness'; readonly update: Uint8Array }
  | { readonly kind: 'query' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'close' }
  /** A message that this server ignores. */
  | { readonly kind: 'other' };

/** The payload of a stateless message: the change sequence of the vault, at the beginning and after each change. */
export interface ChangeHint {
  readonly type: 'current' | 'changed';
  readonly change_seq: number;
}

/** Thrown for bytes that are not a message. */
export class MalformedFrame extends Error {
  override readonly name = 'MalformedFrame';
}

/** Returns the kind of a one-byte message, which has no document; null for any other message. */
export function singleMessageKind(data: Uint8Array): 'ping' | 'pong' | null {
  if (data.length !== 1) return null;
  return data[0] === PING ? 'ping' : data[0] === PONG ? 'pong' : null;
}

export const pingFrame = Uint8Array.of(PING);
export const pongFrame = Uint8Array.of(PONG);

/** Reads a message with a document name. Throws MalformedFrame. */
export function readNamed(data: Uint8Array): { readonly name: string; readonly message: Message } {
  return reading(data, (decoder) => {
    const name = decoding.readVarString(decoder);
    if (name.length > NAME_MAX) throw new MalformedFrame();
    return { name, message: messageOf(decoder) };
  });
}

/** Reads a message without a document name. Throws MalformedFrame. */
export function readPlain(data: Uint8Array): Message {
  return reading(data, (decoder) => {
    const message = messageOf(decoder);
    // On this endpoint, kind 2 is sent only by servers, and the other kinds do not exist.
    return message.kind === 'token' || message.kind === 'close' ? { kind: 'other' } : message;
  });
}

function reading<T>(data: Uint8Array, read: (decoder: decoding.Decoder) => T): T {
  try {
    return read(decoding.createDecoder(data));
  } catch (cause) {
    throw cause instanceof MalformedFrame ? cause : new MalformedFrame('not a message', { cause });
  }
}

function messageOf(decoder: decoding.Decoder): Message {
  switch (decoding.readVarUint(decoder)) {
    case SYNC:
      return syncMessageOf(decoder);
    case AWARENESS:
      return { kind: 'awareness', update: decoding.readVarUint8Array(decoder) };
    case AUTH:
      if (decoding.readVarUint(decoder) !== TOKEN) return { kind: 'other' };
      return { kind: 'token', token: decoding.readVarString(decoder) };
    case QUERY_AWARENESS:
      return { kind: 'query' };
    case CLOSE:
      return { kind: 'close' };
    default:
      return { kind: 'other' };
  }
}

function syncMessageOf(decoder: decoding.Decoder): Message {
  const step = decoding.readVarUint(decoder);
  const bytes = decoding.readVarUint8Array(decoder);
  if (step === STEP_1) return { kind: 'step1', vector: bytes };
  if (step === STEP_2) return { kind: 'step2', update: bytes };
  if (step === UPDATE) return { kind: 'update', update: bytes };
  throw new MalformedFrame();
}

/** Encodes the messages of one document: with its name for the Hocuspocus endpoint, without for y-websocket. */
export class Frames {
  readonly #name: string | null;
  /** Cached, because each update is answered with one of these two. */
  #statuses: { readonly taken: Uint8Array; readonly refused: Uint8Array } | undefined;

  constructor(name: string | null) {
    this.#name = name;
  }

  /** Sync step 2: what the peer lacks. */
  step2(update: Uint8Array): Uint8Array {
    return this.#sync(STEP_2, update);
  }
  /** Sync step 1: what this server has; the peer answers with what it lacks. */
  step1(vector: Uint8Array): Uint8Array {
    return this.#sync(STEP_1, vector);
  }
  update(update: Uint8Array): Uint8Array {
    return this.#sync(UPDATE, update);
  }
  awareness(update: Uint8Array): Uint8Array {
    return this.#write(AWARENESS, (encoder) => encoding.writeVarUint8Array(encoder, update));
  }
  authenticated(scope: 'read-write' | 'readonly'): Uint8Array {
    return this.#auth(AUTHENTICATED, scope);
  }
  denied(reason: string): Uint8Array {
    return this.#auth(PERMISSION_DENIED, reason);
  }
  changeHint(hint: ChangeHint): Uint8Array {
    return this.#write(STATELESS, (encoder) => encoding.writeVarString(encoder, JSON.stringify(hint)));
  }
  close(reason: string): Uint8Array {
    return this.#write(CLOSE, (encoder) => encoding.writeVarString(encoder, reason));
  }
  status(taken: boolean): Uint8Array {
    this.#statuses ??= { taken: this.#status(1), refused: this.#status(0) };
    return taken ? this.#statuses.taken : this.#statuses.refused;
  }

  #status(applied: 0 | 1): Uint8Array {
    return this.#write(SYNC_STATUS, (encoder) => encoding.writeVarUint(encoder, applied));
  }

  #sync(step: number, bytes: Uint8Array): Uint8Array {
    return this.#write(SYNC, (encoder) => {
      encoding.writeVarUint(encoder, step);
      encoding.writeVarUint8Array(encoder, bytes);
    });
  }

  #auth(type: number, text: string): Uint8Array {
    return this.#write(AUTH, (encoder) => {
      encoding.writeVarUint(encoder, type);
      encoding.writeVarString(encoder, text);
    });
  }

  #write(kind: number, body: (encoder: encoding.Encoder) => void): Uint8Array {
    const encoder = encoding.createEncoder();
    if (this.#name !== null) encoding.writeVarString(encoder, this.#name);
    encoding.writeVarUint(encoder, kind);
    body(encoder);
    return encoding.toUint8Array(encoder);
  }
}
