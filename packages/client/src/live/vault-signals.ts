import type { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider';
import type { ChangeHint } from '@notevault/protocol/socket-frames.ts';
import { Doc } from 'yjs';
import { DISPOSE } from '../dispose.ts';
import { after } from '../pause.ts';
import type { TokenSource } from '../tokens.ts';
import { openDocument } from './socket-document.ts';

/**
 * The changes of a vault as they happen. A signal is a hint: it may be missing when a later one follows, and those of a
 * time without connection are missing, so read the change feed after each, and now and then without one.
 */
export class VaultSignals implements Disposable {
  readonly #doc = new Doc();
  readonly #provider: HocuspocusProvider;
  /** Whether there was a signal since the last call of `next`. */
  #isDue = true;
  #end: string | null = null;
  #wake: () => void = () => undefined;

  readonly #left: (signals: VaultSignals) => void;

  /** @param left called when the signals are no longer wanted. */
  constructor(
    socket: HocuspocusProviderWebsocket,
    vaultId: string,
    tokens: TokenSource,
    left: (signals: VaultSignals) => void,
  ) {
    this.#left = left;
    const signal = () => {
      this.#isDue = true;
      this.#wake();
    };
    this.#provider = openDocument(socket, `vault:${vaultId}`, this.#doc, tokens, {
      // There may have been changes while the socket was not connected.
      authorized: signal,
      changed: () => undefined,
      ended: (reason) => {
        this.#end = reason;
        signal();
      },
      rejected: () => undefined,
      message: (payload) => {
        const { type } = JSON.parse(payload) as ChangeHint;
        if (type === 'changed') signal();
      },
    });
  }

  /**
   * Why there are no more signals: the server's reason, such as `revoked` or `permission-denied`, or `left` after they
   * were disposed of; null while there are.
   */
  get end(): string | null {
    return this.#end;
  }

  /**
   * Resolves once there was a signal since the last call, the time is over, or the signal aborts. One caller at a time;
   * fits as `wait` of `followChanges`.
   */
  async next(atMostMs: number, signal?: AbortSignal): Promise<void> {
    if (!this.#isDue && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const end = () => {
          cancel();
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const cancel = after(atMostMs, end);
        signal?.addEventListener('abort', end, { once: true });
        this.#wake = end;
      });
    }
    this.#isDue = false;
  }

  [DISPOSE](): void {
    // Whoever waits must not begin to wait again: its timer would keep a process alive.
    this.#end ??= 'left';
    this.#wake();
    this.#provider.destroy();
    this.#doc.destroy();
    this.#left(this);
  }
}
