import type { LocalStore, NoteRef, UnsentCopy } from './local-store.ts';
import type { SaveProblem } from './save-state.ts';

/** A note with edits that only this device has. */
export interface UnsentNote extends NoteRef {
  /** Why the server refused the edits; null if they were not sent yet. */
  readonly problem: SaveProblem | null;
}

/** State of unsent edits, for the user interface. */
export interface UnsentState {
  readonly notes: readonly UnsentNote[];
  readonly isSending: boolean;
}

export interface SenderOptions {
  readonly store: Pick<LocalStore, 'unsentNotes'>;
  /**
   * Sends the edits of a note. Resolves to the reason of a refusal, or null on success. Throws if there was no answer.
   */
  send(note: NoteRef, signal: AbortSignal): Promise<SaveProblem | null>;
  /** Runs a function under a lock that all tabs share. */
  exclusively<T>(run: () => Promise<T>): Promise<T>;
  /** Returns whether this browser is still signed in as the account that owns the store. */
  isSameAccount(): Promise<boolean>;
  /** Resolves to whether an open, connected note of this tab sends these edits itself. */
  isSentElsewhere(copy: UnsentCopy): Promise<boolean>;
  /** Called after edits were sent, for other tabs. */
  announce(): void;
  show(state: UnsentState): void;
  /** Calls a function once after a while; returns a function that prevents it. */
  later(call: () => void): () => void;
}

/**
 * Sends unsent edits of closed notes whenever the server can be reached, and counts them until then. One tab sends at a
 * time. Edits that are sent twice do no harm: the server ignores those it has.
 */
export class UnsentSender implements Disposable {
  readonly #options: SenderOptions;
  #connection: AbortController | null = null;
  #isBusy = false;
  #isRequested = false;
  /** The only note to send next; null for all. */
  #only: string | null = null;
  /** Reason of the last refusal, by note. */
  readonly #problems = new Map<string, SaveProblem>();
  #isDisposed = false;
  #cancelLater: () => void = () => undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  connected(): void {
    this.#connection ??= new AbortController();
    this.check();
  }

  disconnected(): void {
    this.#connection?.abort();
    this.#connection = null;
    this.check();
  }

  /** Starts another pass, after unsent edits may have changed. */
  check(): void {
    this.#isRequested = true;
    if (!this.#isBusy) void this.#work();
  }

  /** Sends the edits of one note. */
  sendNow(noteId: string): void {
    this.#only = noteId;
    this.#isRequested = true;
    if (!this.#isBusy) void this.#work();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#connection?.abort();
    this.#cancelLater();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#isRequested && !this.#isDisposed) {
      this.#isRequested = false;
      const only = this.#only;
      this.#only = null;
      this.#cancelLater();
      const signal = this.#connection?.signal;
      // Without IndexedDB nothing is stored, so there is nothing to report.
      await (signal === undefined ? this.#count() : this.#sendAll(signal, only)).catch(() => undefined);
    }
    this.#isBusy = false;
  }

  async #count(): Promise<void> {
    this.#show(await this.#waiting());
  }

  async #sendAll(signal: AbortSignal, only: string | null): Promise<void> {
    if (only === null) this.#problems.clear();
    else this.#problems.delete(only);
    const waiting = await this.#waiting();
    this.#show(waiting);
    if (waiting.every(isStashed)) return;
    // Without an answer, the edits stay unsent.
    await this.#options.exclusively(() => this.#sendEach(signal, only)).catch(() => undefined);
    if (signal.aborted) return;
    const left = await this.#waiting();
    this.#show(left);
    if (left.some((note) => note.problem === null && !isStashed(note))) {
      this.#cancelLater = this.#options.later(() => this.check());
    }
  }

  async #sendEach(signal: AbortSignal, only: string | null): Promise<void> {
    if (signal.aborted || !(await this.#options.isSameAccount())) return;
    // Another tab may have sent them while this one waited for its turn.
    const left = new Map((await this.#waiting()).map((note) => [note.id, note]));
    for (const note of [...left.values()]) {
      if (isStashed(note) || (only !== null && note.id !== only)) continue;
      this.#show([...left.values()], true);
      const problem = await this.#options.send(note, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (problem === undefined) continue;
      if (problem !== null) this.#problems.set(note.id, problem);
      else this.#options.announce();
      left.delete(note.id);
    }
  }

  /** Notes with unsent edits that nothing else sends. */
  async #waiting(): Promise<readonly UnsentNote[]> {
    const waiting: UnsentNote[] = [];
    for (const copy of await this.#options.store.unsentNotes()) {
      const { unsent: _, ...note } = copy;
      if (await this.#options.isSentElsewhere(copy)) continue;
      waiting.push({ ...note, problem: this.#problems.get(note.id) ?? null });
    }
    return waiting;
  }

  #show(notes: readonly UnsentNote[], isSending = false): void {
    if (!this.#isDisposed) this.#options.show({ notes, isSending });
  }
}

/** Whether a copy is stashed: it is listed, but not sent. */
function isStashed({ asideOf }: NoteRef): boolean {
  return asideOf !== undefined;
}
