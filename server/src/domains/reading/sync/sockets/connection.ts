import type { UserId } from '@notevault/protocol/values/ids.ts';

/** A client's socket, as this domain needs it. None of its methods throws. */
export interface Connection {
  /** Marks the peer as authenticated by an account. */
  admit(account: UserId): void;
  send(frame: Uint8Array): void;
  /** Resolves once most of the outgoing data has been sent. */
  drained(): Promise<void>;
  close(code: number, reason: string): void;
  /** Counts received bytes that are not processed yet; past a limit the socket is not read. */
  acquire(bytes: number): void;
  release(bytes: number): void;
  /** Counts the bytes of an expensive answer: a client that asks for many is read more slowly. */
  charge(bytes: number): void;
}

/** Memory counted for a waiting message besides its bytes. */
export const MESSAGE_OVERHEAD = 128;

export interface Caller {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** Close codes (RFC 6455, section 7.4.1); 4400 to 4499 stop a `WebsocketProvider` from reconnecting. */
export const CLOSE_CODES = {
  malformed: 1007,
  /** State of this process is lost; a reconnection recovers it. */
  again: 1012,
  later: 1013,
  badRequest: 4400,
  credential: 4401,
  /** An update from a client that may only read, or the vault was taken away. */
  notAllowed: 4403,
  noNote: 4404,
  foreign: 4409,
  tooLarge: 4413,
  unsupported: 4422,
} as const;
