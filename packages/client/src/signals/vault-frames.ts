import type { ChangeHint } from '@notevault/protocol/socket-frames.ts';
import { createDecoder, type Decoder, readVarString, readVarUint, readVarUint8Array } from 'lib0/decoding';
import { createEncoder, toUint8Array, writeVarString, writeVarUint } from 'lib0/encoding';

/** Messages about a vault over a socket, in both directions; protocol/socket-frames.ts defines the server's side. */
export type VaultMessage =
  | { readonly kind: 'ping' | 'changed' | 'authenticated' | 'other' }
  | { readonly kind: 'current'; readonly seq: number }
  | { readonly kind: 'denied' | 'closed'; readonly reason: string }
  | { readonly kind: 'present'; readonly states: readonly ClientState[] };

/** Presence state that a client of the vault announces; null once it has left. */
export interface ClientState {
  readonly client: number;
  readonly state: unknown;
}

const AWARENESS = 1;
const AUTH = 2;
const QUERY_AWARENESS = 3;
const STATELESS = 5;
const CLOSE = 7;
const PING = 9;
const PONG = 10;
const TOKEN = 0;
const PERMISSION_DENIED = 1;

export const pongFrame = Uint8Array.of(PONG);

function frame(name: string, write: (encoder: ReturnType<typeof createEncoder>) => void): Uint8Array<ArrayBuffer> {
  const encoder = createEncoder();
  writeVarString(encoder, name);
  write(encoder);
  return toUint8Array(encoder);
}

export function tokenFrame(name: string, token: string): Uint8Array<ArrayBuffer> {
  return frame(name, (encoder) => {
    writeVarUint(encoder, AUTH);
    writeVarUint(encoder, TOKEN);
    writeVarString(encoder, token);
  });
}

/** Asks who is there. */
export function queryFrame(name: string): Uint8Array<ArrayBuffer> {
  return frame(name, (encoder) => writeVarUint(encoder, QUERY_AWARENESS));
}

/** Reads a message of the server; throws for bytes that are none. */
export function readMessage(bytes: Uint8Array): VaultMessage {
  if (bytes.length === 1) return { kind: bytes[0] === PING ? 'ping' : 'other' };
  const decoder = createDecoder(bytes);
  readVarString(decoder);
  switch (readVarUint(decoder)) {
    case AUTH:
      return readVarUint(decoder) === PERMISSION_DENIED
        ? { kind: 'denied', reason: readVarString(decoder) }
        : { kind: 'authenticated' };
    case STATELESS:
      return hintOf(JSON.parse(readVarString(decoder)) as ChangeHint);
    case CLOSE:
      return { kind: 'closed', reason: readVarString(decoder) };
    case AWARENESS:
      return { kind: 'present', states: statesOf(createDecoder(readVarUint8Array(decoder))) };
    default:
      return { kind: 'other' };
  }
}

function hintOf({ type, change_seq: seq }: ChangeHint): VaultMessage {
  if (type === 'current') return { kind: 'current', seq };
  return { kind: type === 'changed' ? 'changed' : 'other' };
}

function statesOf(decoder: Decoder): ClientState[] {
  const states: ClientState[] = [];
  for (let left = readVarUint(decoder); left > 0; left--) {
    const client = readVarUint(decoder);
    // Its clock: the server has put the states in order.
    readVarUint(decoder);
    states.push({ client, state: JSON.parse(readVarString(decoder)) });
  }
  return states;
}
