import { pause, type Sleep } from '../pause.ts';
import { socketAddress } from '../server-address.ts';
import type { TokenSource } from '../tokens.ts';
import { ApiError } from '../transport.ts';
import { pongFrame, queryFrame, readMessage, tokenFrame } from './vault-frames.ts';

export interface VaultWatchOptions {
  /** Milliseconds before the first attempt to reconnect; the following delays double. */
  readonly firstDelayMs?: number;
  readonly longestDelayMs?: number;
  /** Opens a socket; the global `WebSocket` by default. */
  readonly socket?: (url: string) => WebSocket;
  readonly sleep?: Sleep;
  /** Whether nothing is new in a vault that has this seq as the connection begins; by default that is not known. */
  readonly isKnown?: (changeSeq: number) => boolean;
}

/** Client that has the vault open. The server vouches for the name; the other fields are the client's own. */
export interface PresentClient {
  readonly userId: string | null;
  readonly name: string | null;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** The server pings a silent client more often than this. */
const SILENT_MS = 75_000;

/**
 * The changes of a vault as they happen, like `VaultSignals`, over a socket of its own and without Yjs: for programs that
 * edit no notes live. It reconnects by itself. A signal is a hint: read the change feed after each, and now and then
 * without one.
 */
export class VaultWatch {
  readonly #url: string;
  readonly #name: string;
  readonly #tokens: TokenSource;
  readonly #options: Required<VaultWatchOptions>;
  readonly #closing = new AbortController();
  readonly #present = new Map<number, PresentClient>();
  readonly #listeners = new Set<() => void>();
  #isDue = false;
  /** Whether the server has let this client in and not said yet which seq the vault has. */
  #isBegun = false;
  #isConnected = false;
  #end: string | null = null;
  #wake: () => void = () => undefined;
  #hurry: () => void = () => undefined;

  constructor(url: string, vaultId: string, tokens: TokenSource, options: VaultWatchOptions = {}) {
    this.#url = socketAddress(url);
    this.#name = `vault:${vaultId}`;
    this.#tokens = tokens;
    this.#options = {
      firstDelayMs: FIRST_DELAY_MS,
      longestDelayMs: LONGEST_DELAY_MS,
      socket: (address) => new WebSocket(address),
      sleep: pause,
      isKnown: () => false,
      ...options,
    };
    void this.#run();
  }

  /** Whether the server announces changes now. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Why there are no more signals: the server's reason, or `left` after `close`; null while there are. */
  get end(): string | null {
    return this.#end;
  }

  /** Clients that have the vault open, including this one if it announces itself. */
  get present(): readonly PresentClient[] {
    return [...this.#present.values()];
  }

  /** Calls the listener when there is a connection, when it ends, and when somebody comes or goes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves once there was a signal since the last call, the time is over, or the signal aborts. One caller at a time. */
  async next(atMostMs: number, signal?: AbortSignal): Promise<void> {
    if (!this.#isDue && this.#end === null && signal?.aborted !== true) {
      const done = new AbortController();
      const over = () => done.abort();
      signal?.addEventListener('abort', over, { once: true });
      this.#wake = over;
      await this.#options.sleep(atMostMs, done.signal).catch(() => undefined);
      signal?.removeEventListener('abort', over);
    }
    this.#isDue = false;
  }

  /** Connects now, not after the delay that has grown meanwhile: call when the network is back. */
  connectNow(): void {
    this.#hurry();
  }

  /** Ends the connection and all waiting. */
  close(): void {
    this.#end ??= 'left';
    this.#closing.abort();
    this.#signal();
  }

  async #run(): Promise<void> {
    const { firstDelayMs, longestDelayMs } = this.#options;
    for (let failures = 0; this.#end === null; ) {
      failures = (await this.#connect()) ? 0 : failures + 1;
      this.#setConnected(false);
      if (this.#end !== null) return;
      // At different times on each client, so that they do not all return at once.
      const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** failures) * (0.5 + Math.random() / 2);
      await this.#untilHurried(delay);
    }
  }

  async #untilHurried(ms: number): Promise<void> {
    const done = new AbortController();
    const over = () => done.abort();
    this.#hurry = over;
    this.#closing.signal.addEventListener('abort', over, { once: true });
    if (!this.#closing.signal.aborted) await this.#options.sleep(ms, done.signal).catch(() => undefined);
    this.#closing.signal.removeEventListener('abort', over);
    this.#hurry = () => undefined;
  }

  /** Resolves when the connection has ended, to whether the server had let this client in. */
  #connect(): Promise<boolean> {
    return new Promise((resolve) => {
      let socket: WebSocket;
      try {
        socket = this.#options.socket(this.#url);
      } catch {
        return resolve(false);
      }
      socket.binaryType = 'arraybuffer';
      let isAdmitted = false;
      const over = new AbortController();
      const end = () => {
        over.abort();
        this.#closing.signal.removeEventListener('abort', end);
        socket.onopen = socket.onmessage = socket.onclose = socket.onerror = null;
        socket.close();
        resolve(isAdmitted);
      };
      this.#closing.signal.addEventListener('abort', end, { once: true });
      let heard = 0;
      const session = new SignalSession(socket, this.#name, this.#tokens, end);
      socket.onopen = () => void session.begin();
      socket.onmessage = ({ data }) => {
        heard += 1;
        const message = session.receive(data);
        if (message === null) return;
        if (message.kind === 'authenticated') isAdmitted = true;
        this.#receive(message, end);
      };
      socket.onclose = end;
      socket.onerror = end;
      void this.#endWhenSilent(() => heard, over.signal, end);
      if (this.#closing.signal.aborted) end();
    });
  }

  async #endWhenSilent(heard: () => number, signal: AbortSignal, end: () => void): Promise<void> {
    for (let before = -1; before !== heard(); ) {
      before = heard();
      await this.#options.sleep(SILENT_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
    }
    end();
  }

  #receive(message: Exclude<ReturnType<SignalSession['receive']>, null>, end: () => void): void {
    switch (message.kind) {
      case 'authenticated':
        this.#setConnected(true);
        this.#isBegun = true;
        break;
      case 'current':
        this.#isBegun = false;
        // There may have been changes while the socket was not connected.
        if (!this.#options.isKnown(message.seq)) this.#signal();
        break;
      case 'changed':
        this.#signal();
        break;
      case 'ended':
        this.#end = message.reason;
        this.#signal();
        end();
        break;
      case 'present':
        // An older server has not said which seq the vault has.
        if (this.#isBegun) this.#signal();
        this.#isBegun = false;
        for (const { client, state } of message.states) {
          if (state === null) this.#present.delete(client);
          else this.#present.set(client, presentClient(state));
        }
        this.#announce();
    }
  }

  #setConnected(isConnected: boolean): void {
    if (!isConnected) this.#present.clear();
    if (this.#isConnected === isConnected) return;
    this.#isConnected = isConnected;
    this.#announce();
  }

  #signal(): void {
    this.#isDue = true;
    this.#wake();
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** State of one connection. A refused token is refreshed once; a second refusal ends the watch. */
class SignalSession {
  readonly #socket: WebSocket;
  readonly #name: string;
  readonly #tokens: TokenSource;
  readonly #fail: () => void;
  #sent: string | null = null;
  #isRefreshed = false;

  constructor(socket: WebSocket, name: string, tokens: TokenSource, fail: () => void) {
    this.#socket = socket;
    this.#name = name;
    this.#tokens = tokens;
    this.#fail = fail;
  }

  async begin(): Promise<void> {
    try {
      this.#say(await this.#tokens.token());
    } catch {
      this.#fail();
    }
  }

  /** Answers what the server asks; returns what the message means for the vault, null for nothing. */
  receive(data: unknown) {
    const message = messageOf(data);
    switch (message.kind) {
      case 'ping':
        this.#socket.send(pongFrame);
        return null;
      case 'authenticated':
        this.#isRefreshed = false;
        this.#socket.send(queryFrame(this.#name));
        return { kind: 'authenticated' } as const;
      case 'denied':
        if (this.#isRefreshed || message.reason === 'revoked')
          return { kind: 'ended', reason: message.reason } as const;
        void this.#refresh(message.reason);
        return null;
      case 'closed':
        return { kind: 'ended', reason: message.reason } as const;
      case 'changed':
      case 'current':
      case 'present':
        return message;
      case 'other':
        return null;
    }
  }

  async #refresh(reason: string): Promise<void> {
    this.#isRefreshed = true;
    try {
      this.#say(await this.#tokens.refresh(this.#sent, new ApiError(401, { error: reason }, null)));
    } catch {
      // Whoever reads the feed finds out why.
      this.#fail();
    }
  }

  #say(token: string | null): void {
    this.#sent = token;
    if (this.#socket.readyState === OPEN) this.#socket.send(tokenFrame(this.#name, token ?? ''));
  }
}

const OPEN = 1;

function messageOf(data: unknown) {
  try {
    return data instanceof ArrayBuffer ? readMessage(new Uint8Array(data)) : ({ kind: 'other' } as const);
  } catch {
    return { kind: 'other' } as const;
  }
}

function presentClient(state: unknown): PresentClient {
  const { actor } = state as { actor?: { user_id?: string; display_name?: string | null } };
  return { userId: actor?.user_id ?? null, name: actor?.display_name ?? null };
}
