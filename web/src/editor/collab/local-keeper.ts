import { type Doc, encodeStateAsUpdate, mergeUpdates } from 'yjs';
import { lineageOf } from './lineage.ts';
import { type Edits, type LocalStore, type NoteRef, type StashedNote, withoutSent } from './local-store.ts';
import type { PeerMessage } from './note-peers.ts';
import type { SaveEvent } from './save-state.ts';

/** Number of updates after which they are merged into one. */
const COMPACT_AFTER = 200;

/** Origin of updates that this device already has, so that they are not written again. */
export const LOCAL_ORIGIN = { name: 'local copy' };
/** Origin of updates that another tab could not store: this tab stores them like its own. */
export const UNKEPT_ORIGIN = { name: 'not kept' };

export interface KeeperOptions {
  readonly store: LocalStore;
  readonly note: NoteRef;
  readonly doc: Doc;
  /** Unique name of this session among the writers of the store. */
  readonly writer: string;
  /** Unsent edits of other writers that were in the copy that was loaded. */
  readonly loaded: readonly Edits[];
  report(event: SaveEvent): void;
  /** Tells the other tabs about a write. */
  post(message: PeerMessage): void;
  /** Calls a function once, a moment later, so that a typed letter is drawn before it is stored. */
  delay(call: () => void): void;
}

/** Stores a note's document on this device, and reports confirmed writes. */
export class LocalKeeper implements Disposable {
  readonly #options: KeeperOptions;
  #queue: Promise<void> = Promise.resolve();
  /** Unsent edits of other writers that are in the document. */
  #others: readonly Edits[];
  /** Pending updates, which the next write merges into one. */
  #gathered: Uint8Array[] = [];
  #appended = 0;
  /** Number of edits made here, and of those already written. */
  #edits = 0;
  #writtenEdits = 0;
  /** Whether a write failed; the copy lacks an edit until the whole document has been written. */
  #isIncomplete = false;
  #isClosed = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#others = options.loaded;
    options.doc.on('update', this.#onUpdate);
  }

  /** Records that the server has acknowledged the whole document. */
  markSent(): void {
    const { store, note, doc } = this.#options;
    const lineage = lineageOf(doc);
    if (lineage === null || this.#isClosed) return;
    this.#write();
    const sent = this.#all();
    void this.#enqueue(() => store.markSent(note.id, lineage, sent));
  }

  /** Records unsent edits of other writers that were applied to the document. */
  addOthers(edits: readonly Edits[]): void {
    this.#others = [...withoutSent(this.#others, edits), ...edits];
  }

  /**
   * Returns whether the document contains these edits. They are then recorded as sent once the server has the document.
   */
  covers(edits: readonly Edits[]): boolean {
    return withoutSent(edits, this.#all()).length === 0;
  }

  /** Resolves when all pending writes have succeeded or failed. */
  flush(): Promise<void> {
    this.#write();
    return this.#queue;
  }

  /** Stops keeping the note, and removes all its copies. */
  async remove(): Promise<void> {
    this[Symbol.dispose]();
    await this.#enqueue(() => this.#options.store.remove(this.#options.note.id));
  }

  /** Stops keeping the note, and stashes its unsent copies. */
  async stash(): Promise<readonly StashedNote[]> {
    const { store, note } = this.#options;
    this[Symbol.dispose]();
    await this.flush();
    return store.stash(note.id);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#options.doc.off('update', this.#onUpdate);
    this.#write();
  }

  #all(): readonly Edits[] {
    return [...this.#others, { writer: this.#options.writer, upTo: this.#edits }];
  }

  readonly #onUpdate = (update: Uint8Array, origin: unknown, doc: Doc, transaction: { local: boolean }): void => {
    // An edit before the server's first item would start another lineage, which the server refuses.
    if (origin === LOCAL_ORIGIN || lineageOf(doc) === null) return;
    if (transaction.local || origin === UNKEPT_ORIGIN) this.#edits++;
    this.#gathered.push(update);
    if (this.#gathered.length > 1) return;
    this.#options.report({ type: 'keeping' });
    this.#options.delay(() => this.#write());
  };

  /** Writes the gathered updates. */
  #write(): void {
    const { store, note, writer, doc } = this.#options;
    const lineage = lineageOf(doc);
    const [first, ...others] = this.#gathered;
    if (first === undefined || lineage === null) return;
    this.#gathered = [];
    const edits = this.#edits === this.#writtenEdits ? null : { writer, upTo: this.#edits };
    this.#writtenEdits = this.#edits;
    void this.#append(lineage, others.length === 0 ? first : mergeUpdates([first, ...others]), edits);
    if (++this.#appended % COMPACT_AFTER !== 0) return;
    void this.#enqueue(() => store.compact(note.id, lineage, (all) => mergeUpdates([...all])));
  }

  async #append(lineage: string, update: Uint8Array, edits: Edits | null): Promise<void> {
    const { store, note, doc, report, post } = this.#options;
    await this.#enqueue(async () => {
      const isWhole = this.#isIncomplete;
      const written = isWhole ? encodeStateAsUpdate(doc) : update;
      try {
        await store.append(note, lineage, written, edits);
        this.#isIncomplete = false;
        report({ type: isWhole ? 'kept-all' : 'kept' });
      } catch {
        this.#isIncomplete = true;
        report({ type: 'not-kept' });
      }
      // Posted after the write: a tab that opens the note meanwhile has either read this update or receives the
      // message.
      const isKept = store.isDurable && !this.#isIncomplete;
      post({ type: 'updates', lineage, updates: [written], unsent: edits === null ? [] : [edits], isKept });
    });
  }

  /**
   * Runs writes one after another. Only a failed write of an edit matters; other failures leave the copy untidy but
   * complete.
   */
  #enqueue(write: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(write).catch(() => undefined);
    return this.#queue;
  }
}
