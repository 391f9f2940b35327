import type { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider';
import type { Doc, Text } from 'yjs';
import { DISPOSE } from '../dispose.ts';
import type { TokenSource } from '../tokens.ts';
import { openDocument } from './socket-document.ts';

/** Thrown when a note is awaited that the server no longer serves. */
export class LiveNoteEnded extends Error {
  override readonly name = 'LiveNoteEnded';
  /** See LiveNote.end. */
  readonly reason: string;
  constructor(reason: string) {
    super(`the note is closed: ${reason}`);
    this.reason = reason;
  }
}

export interface LiveNoteState {
  /** Whether the document has all that the server had when this client last connected. */
  readonly isSynced: boolean;
  /** Whether the server has acknowledged every edit as on disk. */
  readonly isSaved: boolean;
  /** Whether this client may edit; null before it is known. */
  readonly canWrite: boolean | null;
  /**
   * Whether the server refused an edit, so that this document has text that the note will not get. The note's history
   * has the refused text; continue with a new document.
   */
  readonly isRejected: boolean;
  /**
   * Why the server does not serve this document any more: `note_deleted`, `note_too_large`, `foreign_lineage`,
   * `unsupported_update`, `revoked`, `permission-denied`; null while it does. The text is still in the document.
   */
  readonly end: string | null;
}

/** A note that is edited over a socket. The document continues to accept edits offline, and sends them later. */
export class LiveNote implements Disposable {
  readonly id: string;
  readonly doc: Doc;
  readonly #provider: HocuspocusProvider;
  readonly #listeners = new Set<(state: LiveNoteState) => void>();
  #canWrite: boolean | null = null;
  #isRejected = false;
  #end: string | null = null;

  readonly #left: (note: LiveNote) => void;

  /**
   * @param gatherMs how long edits wait for others with which they are sent.
   * @param left called when the note is left.
   */
  constructor(
    socket: HocuspocusProviderWebsocket,
    id: string,
    doc: Doc,
    tokens: TokenSource,
    gatherMs: number,
    left: (note: LiveNote) => void,
  ) {
    this.id = id;
    this.#left = left;
    this.doc = doc;
    const events = {
      authorized: (scope: 'read-write' | 'readonly') => {
        // What was refused to somebody who might only read is sent anew.
        if (scope === 'read-write' && this.#canWrite === false) this.#isRejected = false;
        this.#canWrite = scope === 'read-write';
        this.#announce();
      },
      changed: () => this.#announce(),
      ended: (reason: string) => {
        this.#end = reason;
        this.#announce();
      },
      rejected: () => {
        this.#isRejected = true;
        this.#announce();
      },
      message: () => undefined,
    };
    this.#provider = openDocument(socket, id, doc, tokens, events, gatherMs);
  }

  /** The whole text of the note, with frontmatter. Sync before the first edit: only the server begins a document. */
  get text(): Text {
    return this.doc.getText('content');
  }

  /** The presence of this client and others at the note. */
  get awareness() {
    return this.#provider.awareness;
  }

  get state(): LiveNoteState {
    const isSynced = this.#provider.isAuthenticated && this.#provider.isSynced;
    return {
      isSynced,
      isSaved: isSynced && !this.#isRejected && !this.#provider.hasUnsyncedChanges,
      canWrite: this.#canWrite,
      isRejected: this.#isRejected,
      end: this.#end,
    };
  }

  /** Calls the listener with each new state; returns a function that removes it. */
  onState(listener: (state: LiveNoteState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves once the document has all that the server has. Throws LiveNoteEnded; the signal's reason. */
  synced(signal?: AbortSignal): Promise<void> {
    return this.#until(({ isSynced }) => isSynced, signal);
  }

  /**
   * Resolves once the server has acknowledged every edit as on disk. Throws LiveNoteEnded, also after an edit was
   * refused; the signal's reason.
   */
  saved(signal?: AbortSignal): Promise<void> {
    return this.#until(({ isSaved, isRejected }) => {
      if (isRejected) throw new LiveNoteEnded('rejected');
      return isSaved;
    }, signal);
  }

  /** Leaves the note. Edits that were not acknowledged remain in the document only. */
  [DISPOSE](): void {
    this.#listeners.clear();
    this.#provider.destroy();
    this.#left(this);
  }

  #announce(): void {
    const { state } = this;
    for (const listener of [...this.#listeners]) listener(state);
  }

  #until(holds: (state: LiveNoteState) => boolean, signal: AbortSignal | undefined): Promise<void> {
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve, reject) => {
      const abort = () => reject(asError(signal?.reason));
      const check = (state: LiveNoteState) => {
        try {
          if (state.end !== null) throw new LiveNoteEnded(state.end);
          if (holds(state)) resolve();
        } catch (error) {
          reject(asError(error));
        }
      };
      if (signal?.aborted === true) abort();
      signal?.addEventListener('abort', abort, { once: true });
      const remove = this.onState(check);
      end = () => {
        remove();
        signal?.removeEventListener('abort', abort);
      };
      check(this.state);
    });
    return held.finally(() => end());
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
