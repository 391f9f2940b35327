import { KB, MB } from '@notevault/protocol/values/byte-units.ts';

/** Limits of sockets, before and after they present a credential. A tick is a second. */
export interface SocketLimits {
  /** Sockets without a credential, of one address and in total. */
  readonly anonymousPerAddress: number;
  readonly anonymous: number;
  /** Total bytes that a socket may send before it presents a credential. */
  readonly anonymousBytes: number;
  /** Time for presenting one. */
  readonly anonymousTicks: number;
  /** A larger message ends its socket; endpoints refuse messages over their own, lower limits with an error. */
  readonly frameBytes: number;
  /** Unsent bytes at which a socket is disconnected. */
  readonly backlogBytes: number;
  /** Unsent bytes at which no further large answer is made. */
  readonly largeBytes: number;
  /** Received, unprocessed bytes at which reading pauses. */
  readonly queueBytes: number;
  /** Messages per second on average, at once, and how many bytes, sent or answered, count as one more message. */
  readonly rate: number;
  readonly burst: number;
  readonly bytesPerToken: number;
  readonly responseBytesPerToken: number;
  /** Silence after which the peer is pinged; after twice as much the socket is cut off. */
  readonly silentTicks: number;
  /** How long a peer may take to answer a close. */
  readonly closingTicks: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  anonymousPerAddress: 256,
  anonymous: 2048,
  anonymousBytes: MB,
  anonymousTicks: 10,
  frameBytes: 64 * MB,
  backlogBytes: 32 * MB,
  largeBytes: MB,
  queueBytes: MB,
  rate: 1000,
  burst: 4000,
  bytesPerToken: 4 * KB,
  responseBytesPerToken: 16 * KB,
  silentTicks: 20,
  closingTicks: 3,
};
