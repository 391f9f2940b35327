import { HocuspocusProviderWebsocket, WebSocketStatus } from '@hocuspocus/provider';
import { Doc } from 'yjs';
import { DISPOSE } from '../dispose.ts';
import { socketAddress } from '../server-address.ts';
import type { TokenSource } from '../tokens.ts';
import { LiveNote } from './live-note.ts';
import { VaultSignals } from './vault-signals.ts';

export interface LiveSocketOptions {
  /** Milliseconds before the first attempt to reconnect; the following delays double. */
  readonly firstDelayMs?: number;
  readonly longestDelayMs?: number;
  /** Time for which edits are batched before they are sent, in milliseconds; 0 by default. */
  readonly gatherMs?: number;
  /** A replacement for the global `WebSocket`. */
  readonly webSocket?: new (
    url: string,
  ) => WebSocket;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;

/**
 * WebSocket connection to a server, shared by all open notes and watched vaults. It reconnects automatically with
 * growing, randomised delays, and everything open over it continues.
 */
export class LiveSocket implements Disposable {
  readonly #socket: HocuspocusProviderWebsocket;
  readonly #tokens: TokenSource;
  readonly #gatherMs: number;
  /** Everything open over this socket, to be disposed with it: open timers would keep the process alive. */
  readonly #opened = new Set<Disposable>();

  /** @param url the server's address, with or without `/api`. */
  constructor(url: string, tokens: TokenSource, options: LiveSocketOptions = {}) {
    const { firstDelayMs = FIRST_DELAY_MS, longestDelayMs = LONGEST_DELAY_MS, gatherMs = 0, webSocket } = options;
    this.#tokens = tokens;
    this.#gatherMs = gatherMs;
    this.#socket = new HocuspocusProviderWebsocket({
      url: socketAddress(url),
      delay: firstDelayMs,
      minDelay: firstDelayMs / 2,
      maxDelay: longestDelayMs,
      ...(webSocket && { WebSocketPolyfill: webSocket }),
    });
  }

  /** Whether the socket is connected now. */
  get isConnected(): boolean {
    return this.#socket.status === WebSocketStatus.Connected;
  }

  /** Tries to connect now, not after the delay that has grown meanwhile: call when the network is back. */
  connectNow(): void {
    if (!this.isConnected) void this.#socket.connect();
  }

  /** Gives up the connection and makes another one: call when the network is gone, which a socket notices late. */
  reconnect(): void {
    const event = new CloseEvent('close', { code: 4408, reason: 'no network' });
    if (this.isConnected) this.#socket.onClose({ event });
  }

  /** Calls the listener when the socket is connected, and when it is no longer; returns a function that removes it. */
  onConnection(listener: (isConnected: boolean) => void): () => void {
    const look = () => listener(this.isConnected);
    this.#socket.on('status', look);
    return () => void this.#socket.off('status', look);
  }

  /**
   * Opens a note. Dispose of the result to leave the note.
   *
   * @param doc a document of this note from an earlier time, whose edits are then sent; an empty one by default. The
   *   text of a document that the server did not begin is refused: see LiveNote.end.
   */
  open(noteId: string, doc: Doc = new Doc()): LiveNote {
    const left = (note: LiveNote) => this.#opened.delete(note);
    return this.#keep(new LiveNote(this.#socket, noteId, doc, this.#tokens, this.#gatherMs, left));
  }

  /** Watches a vault for changes. Dispose of the result to stop. */
  watch(vaultId: string): VaultSignals {
    return this.#keep(new VaultSignals(this.#socket, vaultId, this.#tokens, (one) => this.#opened.delete(one)));
  }

  /**
   * Disconnects permanently, and leaves everything opened over this socket. Edits that were not acknowledged remain in
   * the documents only.
   */
  [DISPOSE](): void {
    for (const opened of [...this.#opened]) opened[DISPOSE]();
    this.#socket.destroy();
  }

  #keep<Opened extends Disposable>(opened: Opened): Opened {
    this.#opened.add(opened);
    return opened;
  }
}
