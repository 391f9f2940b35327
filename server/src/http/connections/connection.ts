import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { loopSlices } from '../../concurrency/yield.ts';
import type { SocketLimits } from './socket-limits.ts';

/** Close codes of RFC 6455, section 7.4.1, and of the IANA registry. */
export const CLOSE_CODES = {
  /** The server is stopping. */
  restart: 1012,
  /** Over a limit: try again later, or slower. */
  later: 1013,
  policy: 1008,
  unsupported: 1003,
} as const;

/** The handlers of an endpoint for one socket. None of them may throw. */
export interface Session {
  /** A whole message. Its bytes stay valid after the call, because nothing else writes into them. */
  message(data: Uint8Array): void;
  /** Called when the connection has been idle: sends this protocol's keep-alive message. */
  ping(): void;
  closed(): void;
}

type PausedRead = 'rate' | 'queue' | 'turn';

/**
 * One WebSocket, as an endpoint sees it: all frames are sent through here, and messages are read no faster than they
 * are processed. Thousands of small messages may arrive at once, so they share the event loop with other sliced work.
 * Times are counted in ticks of a second, so that changing the wall clock closes no socket.
 */
export class Connection {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #limits: SocketLimits;
  readonly #admitted: () => void;
  /** The tenant that its messages are charged to. */
  #tenant: string;
  /** Messages that had arrived when reading was paused. */
  readonly #held: Buffer[] = [];
  #isHandling = false;
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

  /**
   * @param tenant for messages before a credential.
   * @param admitted called once, when the peer has presented a credential or is gone without one.
   */
  constructor(ws: WebSocket, socket: Socket, limits: SocketLimits, tenant: string, admitted: () => void) {
    this.#ws = ws;
    this.#socket = socket;
    this.#limits = limits;
    this.#admitted = admitted;
    this.#tenant = tenant;
    this.#tokens = limits.burst;
    this.#readBefore = socket.bytesRead;
    // Bytes are counted first, as they arrive, because frames are assembled before an endpoint sees them.
    socket.prependListener('data', this.#countBytes);
  }

  /** Lifts the limits of anonymous sockets once the peer has presented a valid credential of an account. */
  admit(account: string): void {
    if (!this.#isAnonymous) return;
    this.#tenant = account;
    this.#endAnonymity();
  }

  #endAnonymity(): void {
    this.#isAnonymous = false;
    this.#socket.off('data', this.#countBytes);
    this.#admitted();
  }

  /** Sends a binary message. A peer that does not read is disconnected; it can reconnect and request less. */
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

  /** Resolves when most sent bytes have left the process, so that large answers are made one after the other. */
  async drained(): Promise<void> {
    while (this.#ws.readyState === this.#ws.OPEN && this.#ws.bufferedAmount > this.#limits.largeBytes) {
      await new Promise<void>((resolve) => {
        // A long-lived socket waits often, so each wait must remove its listener.
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

  /** Sends a close with a reason; a peer that does not answer it is cut off soon after. */
  close(code: number, reason: string): void {
    if (this.#closingAt !== null) return;
    this.#closingAt = this.#ticks;
    this.#ws.close(code, reason);
    // Later messages are not processed, except for the answer to the close.
    this.#held.length = 0;
    this.session?.closed();
    this.session = undefined;
  }

  /** Counts accepted work for this peer; beyond a limit reading pauses. */
  acquire(bytes: number): void {
    this.#queued += bytes;
    if (this.#queued > this.#limits.queueBytes) this.#pause('queue');
  }

  /** Counts finished work. */
  release(bytes: number): void {
    this.#queued -= bytes;
    if (this.#queued <= this.#limits.queueBytes / 4) this.#resume('queue');
  }

  /** Counts a large answer for this peer against its rate, at a lower weight than messages it sends. */
  charge(bytes: number): void {
    this.#tokens -= bytes / this.#limits.responseBytesPerToken;
    if (this.#tokens < 0) this.#pause('rate');
  }

  onFrame(data: Buffer, isBinary: boolean): void {
    this.#receivedAt = this.#ticks;
    if (this.#closingAt !== null) return;
    if (!isBinary) {
      this.close(CLOSE_CODES.unsupported, 'binary messages only');
      return;
    }
    this.#held.push(data);
    if (this.#held.length === 1) this.#handleHeld();
  }

  onPong(): void {
    this.#receivedAt = this.#ticks;
  }

  /** Called once a second. */
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
    // While reading is paused, silence is not the peer's fault.
    if (this.#paused.size > 0) this.#receivedAt = this.#ticks;
    const silent = this.#ticks - this.#receivedAt;
    if (silent >= 2 * silentTicks) {
      this.terminate();
      return;
    }
    if (silent === silentTicks) this.#ws.ping();
    if (silent === silentTicks || this.#ticks - this.#sentAt >= silentTicks) this.session?.ping();
  }

  /** Ends the socket without a close frame. */
  terminate(): void {
    this.#closingAt ??= this.#ticks;
    this.#ws.terminate();
  }

  onClose(): void {
    this.#closingAt ??= this.#ticks;
    if (this.#isAnonymous) this.#endAnonymity();
    // Handle what the peer sent before it left.
    for (const data of this.#held.splice(0)) this.session?.message(data);
    this.session?.closed();
    this.session = undefined;
  }

  /** Sends everything of one turn with one system call. */
  #cork(): void {
    if (this.#socket.writableCorked > 0) return;
    this.#socket.cork();
    setImmediate(() => this.#socket.uncork());
  }

  /** Handles messages until reading is paused or this turn of the event loop is used up. */
  #handleHeld(): void {
    const began = performance.now();
    this.#isHandling = true;
    for (let data = this.#held[0]; data !== undefined && this.#paused.size === 0; data = this.#held[0]) {
      const turn = loopSlices.enter(this.#tenant, performance.now() - began);
      if (turn !== undefined) {
        this.#handleAfter(turn);
        break;
      }
      this.#tokens -= 1 + data.length / this.#limits.bytesPerToken;
      if (this.#tokens < 0) this.#pause('rate');
      this.session?.message(data);
      this.#held.shift();
    }
    this.#isHandling = false;
    if (this.#paused.size === 0 && this.#ws.isPaused) this.#ws.resume();
  }

  #handleAfter(turn: Promise<void>): void {
    this.#pause('turn');
    void turn.then(() => {
      this.#paused.delete('turn');
      this.#handleHeld();
    });
  }

  #pause(why: PausedRead): void {
    if (this.#paused.size === 0) this.#ws.pause();
    this.#paused.add(why);
  }

  #resume(why: PausedRead): void {
    if (!this.#paused.delete(why) || this.#paused.size > 0 || this.#isHandling) return;
    if (this.#held.length === 0) this.#ws.resume();
    // Not now: the session may be in the middle of handling earlier messages.
    else this.#handleAfter(loopSlices.turn(this.#tenant, 0));
  }
}
