import type { LiveNote } from '@notevault/client/live/live-note.ts';
import { ApiError } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import { mergeTexts } from '@notevault/note-text/merge/merge-texts.ts';
import type { ForeignText } from './copy-store.ts';

/** The writes of notes over HTTP. */
export type NoteWriter = Pick<VaultClient, 'readNoteById' | 'upsertNote'>;

export interface ForeignOptions {
  readonly id: string;
  readonly note: LiveNote;
  readonly writer: NoteWriter;
  readonly waiting: readonly ForeignText[];
  /** Resolves once this device keeps what waits. */
  changed(waiting: readonly ForeignText[]): Promise<void>;
  /**
   * Applies the change as an edit of the local document. In the same write, the device records that only `others` still
   * wait. Returns false if there is no document.
   */
  readonly apply: (foreign: ForeignText, others: readonly ForeignText[]) => boolean;
  /** Called once no foreign text is pending. */
  done(): void;
}

/** Maximum retries of a write that the server refused. */
const MAX_TRIES = 3;

/**
 * Changes of a note that nobody typed: of another plugin, of the properties, of another program. On two devices the same
 * change may be made at once, and as edits of the document both would count. So each goes to the server as a write that
 * names the version it was merged with: what two of them have in common counts once, and the document gets the result.
 * Without a connection it becomes an edit of the document, because the editor must show it.
 */
export class ForeignTexts {
  readonly #options: ForeignOptions;
  #waiting: readonly ForeignText[];
  #isSending = false;
  #isOver = false;

  constructor(options: ForeignOptions) {
    this.#options = options;
    this.#waiting = options.waiting;
  }

  get waiting(): readonly ForeignText[] {
    return this.#waiting;
  }

  add(foreign: ForeignText): void {
    void this.#change([...this.#waiting, foreign]);
    this.send();
  }

  /** Sends what waits, if nothing is being sent. Call when the connection is another one. */
  send(): void {
    if (!this.#isSending && this.#waiting.length > 0) void this.#sendAll();
  }

  stop(): void {
    this.#isOver = true;
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    try {
      for (let [next] = this.#waiting; next !== undefined && !this.#isOver; [next] = this.#waiting) {
        if (!(await this.#send(next))) return;
        if (this.#isOver) return;
        void this.#change(this.#waiting.slice(1));
      }
    } finally {
      this.#isSending = false;
    }
    if (!this.#isOver) this.#options.done();
  }

  /** Returns whether the change is in the vault or in the document, or cannot be in either. */
  async #send(foreign: ForeignText): Promise<boolean> {
    const { note, apply } = this.#options;
    let { sent } = foreign;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      // What was typed before the change must be there before it.
      if (!(await this.#isSaved())) {
        if (sent !== null || this.#isOver || note.state.end !== null) return false;
        return apply(foreign, this.#waiting.slice(1));
      }
      try {
        sent ??= await this.#prepared(foreign);
        if (sent === null || this.#isOver) return !this.#isOver;
        const { id, writer } = this.#options;
        await writer.upsertNote({ id, ...sent, mtime: Math.floor(Date.now() / 1000) });
        return true;
      } catch (error) {
        if (!isRefusal(error)) return false;
        // It is known not to be there.
        sent = null;
      }
    }
    return apply(foreign, this.#waiting.slice(1));
  }

  /** Returns the write that brings the change; null when the note has it already, or is gone. */
  async #prepared(foreign: ForeignText): Promise<ForeignText['sent']> {
    const head = await this.#options.writer.readNoteById(this.#options.id);
    if (head === null) return null;
    const content = mergeTexts(foreign.base, foreign.text, head.content);
    if (content === head.content) return null;
    const sent = { path: head.path, content, version: head.version };
    // The device keeps it before the server may have it: else the next start would send it once more, as another one.
    await this.#change(this.#waiting.map((one) => (one === this.#waiting[0] ? { ...one, sent } : one)));
    return sent;
  }

  /** Resolves once the server has all edits of the document; false when it cannot be reached. */
  #isSaved(): Promise<boolean> {
    const { note } = this.#options;
    return new Promise((resolve) => {
      let end = (): void => undefined;
      const check = () => {
        const { isSynced, isSaved, canWrite, end: ended, isRejected } = note.state;
        const isOff = !isSynced || canWrite === false || ended !== null || isRejected || this.#isOver;
        if (!isSaved && !isOff) return;
        end();
        resolve(isSaved && !isOff);
      };
      end = note.onState(check);
      check();
    });
  }

  #change(waiting: readonly ForeignText[]): Promise<void> {
    this.#waiting = waiting;
    return this.#options.changed(waiting);
  }
}

/** Returns whether the server has answered that it did nothing; without an answer it may have. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
}
