/** The socket of a client, as this domain needs it. None of its methods throws. */
export interface Connection {
  /** The peer has shown a good credential. */
  admit(): void;
  send(frame: Uint8Array): void;
  /** Resolves once most of what was sent has gone out. */
  drained(): Promise<void>;
  close(code: number, reason: string): void;
  /** Bytes taken on that are not worked off yet; past a bound the socket is not read from. */
  acquire(bytes: number): void;
  release(bytes: number): void;
  /** Bytes of an answer that took work to make: who asks for many of them is read from more slowly. */
  charge(bytes: number): void;
}

/** From where somebody calls. */
export interface Caller {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** Close codes: RFC 6455, section 7.4.1, and the IANA registry; 4400 to 4499 end a `WebsocketProvider` for good. */
export const CLOSE_CODES = {
  malformed: 1007,
  /** Something is lost here that another attempt finds. */
  again: 1012,
  later: 1013,
  badRequest: 4400,
  credential: 4401,
  readOnly: 4403,
  noNote: 4404,
  foreign: 4409,
  tooLarge: 4413,
} as const;
