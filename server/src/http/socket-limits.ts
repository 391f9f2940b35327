const KB = 1024;
const MB = 1024 * KB;

/** What sockets may cost before anybody knows whose they are, and after. Ticks are seconds. */
export interface SocketLimits {
  /** Sockets without a credential yet: of one address, and in all. */
  readonly anonymousPerAddress: number;
  readonly anonymous: number;
  /** Bytes that a socket may send before it has shown a credential, in all. */
  readonly anonymousBytes: number;
  /** Time to show one. */
  readonly anonymousTicks: number;
  /** A message over this ends its socket; endpoints refuse what is over their own, smaller bounds in words. */
  readonly frameBytes: number;
  /** Unsent bytes at which a socket is let go. */
  readonly backlogBytes: number;
  /** Unsent bytes at which no further large answer is made. */
  readonly largeBytes: number;
  /** Received bytes not worked off yet at which a socket is not read from. */
  readonly queueBytes: number;
  /** Messages a second, over a time; how many may come at once; and how many bytes count as one more, sent or answered. */
  readonly rate: number;
  readonly burst: number;
  readonly bytesPerToken: number;
  readonly responseBytesPerToken: number;
  /** Silence after which life is asked for; after twice as much the socket is cut off. */
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
