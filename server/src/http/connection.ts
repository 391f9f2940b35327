import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { SocketLimits } from './socket-limits.ts';

/** Close codes of RFC 6455, section 7.4.1, and of the IANA registry. */
export const CLOSE_CODES = {
  /** The server stops. */
  restart: 1012,
  /** Too much of something: later, or slower. */
  later: 1013,
  policy: 1008,
  unsupported: 1003,
} as const;

/** What an endpoint makes of one socket. Nothing of it may throw. */
export interface Session {
  /** A whole message, valid during the call and after it: nobody else writes into its bytes. */
  message(data: Uint8Array): void;
  /** Nothing went one of both ways for a while: send something, in the endpoint's own protocol, that a client takes for life. */
  ping(): void;
  /** The socket is gone. */
  closed(): void;
}

/** Why reading from a socket rests. */
type PausedRead = 'rate' | 'queue';

/**
 * One WebSocket, as an endpoint sees it: what is sent goes out through here alone, and what comes in comes no faster than it
 * is worked off. Everything counts in ticks of a second, so that a wall clock set anew closes nobody's socket.
 */
export class Connection {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #limits: SocketLimits;
  readonly #admitted: () => void;
  readonly #paused = new Set<PausedRead>();
  session: Session | undefined;
  #isAnonymous = true;
  #tokens: number;
  #queued = 0;
  #receivedAt = 0;
  #sentAt = 0;
  #ticks = 0;
  #closingAt: number | null = null;
  readonly #readBefore: number;
  readonly #countBytes = () => {
    if (this.#socket.bytesRead - this.#readBefore > this.#limits.anonymousBytes) this.terminate();
  };

  /** @param admitted called once, when the peer has shown a credential or is gone without. */
  constructor(ws: WebSocket, socket: Socket, limits: SocketLimits, admitted: () => void) {
    this.#ws = ws;
    this.#socket = socket;
    this.#limits = limits;
    this.#admitted = admitted;
    this.#tokens = limits.burst;
    this.#readBefore = socket.bytesRead;
    // Frames are put together before anybody hears of them, so bytes are counted where they come in, and first.
    socket.prependListener('data', this.#countBytes);
  }

  /** The peer has shown a good credential: the bounds for strangers end. */
  admit(): void {
    if (!this.#isAnonymous) return;
    this.#isAnonymous = false;
    this.#socket.off('data', this.#countBytes);
    this.#admitted();
  }

  /** Sends a binary message. A peer that does not read what it is sent is let go: it can come back and ask for less. */
  send(frame: Uint8Array): void {
    if (this.#closingAt !== null || this.#ws.readyState !== this.#ws.OPEN) return;
    if (this.#ws.bufferedAmount > this.#limits.backlogBytes) {
      this.close(CLOSE_CODES.later, 'too slow');
      return;
    }
    this.#sentAt = this.#ticks;
    this.#cork();
    this.#ws.send(frame);
  }

  /** Resolves once most of what was sent has gone out, so that large answers are made one after the other. */
  async drained(): Promise<void> {
    while (this.#ws.readyState === this.#ws.OPEN && this.#ws.bufferedAmount > this.#limits.largeBytes) {
      await new Promise<void>((resolve) => {
        // A socket that lives long waits often: what it did not wake by must not go on listening.
        const done = () => {
          this.#socket.off('drain', done);
          this.#ws.off('close', done);
          resolve();
        };
        this.#socket.on('drain', done);
        this.#ws.on('close', done);
      });
    }
  }

  /** Says why and closes; whoever does not answer is cut off soon after. */
  close(code: number, reason: string): void {
    if (this.#closingAt !== null) return;
    this.#closingAt = this.#ticks;
    this.#ws.close(code, reason);
    // What it still sends is not read any more, but for the answer to the close.
    this.session?.closed();
    this.session = undefined;
  }

  /** Work was taken on for this peer: past a bound its next messages wait where they are. */
  acquire(bytes: number): void {
    this.#queued += bytes;
    if (this.#queued > this.#limits.queueBytes) this.#pause('queue');
  }

  /** Work was done. */
  release(bytes: number): void {
    this.#queued -= bytes;
    if (this.#queued <= this.#limits.queueBytes / 4) this.#resume('queue');
  }

  /** A large answer was made for this peer: it counts as what it sends does, at a better rate. */
  charge(bytes: number): void {
    this.#tokens -= bytes / this.#limits.responseBytesPerToken;
    if (this.#tokens < 0) this.#pause('rate');
  }

  /** A message came in. */
  onFrame(data: Buffer, isBinary: boolean): void {
    this.#receivedAt = this.#ticks;
    if (this.#closingAt !== null) return;
    if (!isBinary) {
      this.close(CLOSE_CODES.unsupported, 'binary messages only');
      return;
    }
    this.#tokens -= 1 + data.length / this.#limits.bytesPerToken;
    if (this.#tokens < 0) this.#pause('rate');
    this.session?.message(data);
  }

  /** The peer answered a ping. */
  onPong(): void {
    this.#receivedAt = this.#ticks;
  }

  /** Once a second. */
  tick(): void {
    const { burst, rate, silentTicks, anonymousTicks, closingTicks } = this.#limits;
    this.#ticks += 1;
    if (this.#closingAt !== null) {
      if (this.#ticks - this.#closingAt >= closingTicks) this.terminate();
      return;
    }
    if (this.#isAnonymous && this.#ticks >= anonymousTicks) {
      this.close(CLOSE_CODES.policy, 'no credential in time');
      return;
    }
    this.#tokens = Math.min(burst, this.#tokens + rate);
    if (this.#tokens >= 0) this.#resume('rate');
    // Who is not read from cannot be heard.
    if (this.#paused.size > 0) this.#receivedAt = this.#ticks;
    const silent = this.#ticks - this.#receivedAt;
    if (silent >= 2 * silentTicks) {
      this.terminate();
      return;
    }
    if (silent === silentTicks) this.#ws.ping();
    if (silent === silentTicks || this.#ticks - this.#sentAt >= silentTicks) this.session?.ping();
  }

  /** Ends the socket without a word. */
  terminate(): void {
    this.#closingAt ??= this.#ticks;
    this.#ws.terminate();
  }

  /** The socket is gone. */
  onClose(): void {
    this.#closingAt ??= this.#ticks;
    if (this.#isAnonymous) this.admit();
    this.session?.closed();
    this.session = undefined;
  }

  /** What is sent in one turn goes out in one system call. */
  #cork(): void {
    if (this.#socket.writableCorked > 0) return;
    this.#socket.cork();
    setImmediate(() => this.#socket.uncork());
  }

  #pause(why: PausedRead): void {
    if (this.#paused.size === 0) this.#ws.pause();
    this.#paused.add(why);
  }

  #resume(why: PausedRead): void {
    if (this.#paused.delete(why) && this.#paused.size === 0) this.#ws.resume();
  }
}
