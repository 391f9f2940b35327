import type { LiveNote, LiveNoteState } from '@notevault/client/live/live-note.ts';
import { applyUpdate, Doc, type Text, UndoManager } from 'yjs';
import { type Observable, ObservableValue } from '../../platform/observable.ts';
import { destroySteps, isContinuedBy, type KeptSteps } from './kept-steps.ts';
import { lineageOf, TEXT } from './lineage.ts';
import { LOCAL_ORIGIN, LocalKeeper, UNKEPT_ORIGIN } from './local-keeper.ts';
import type { Edits, LocalCopy, LocalStore, NoteRef, StashedNote } from './local-store.ts';
import type { NotePeers, PeerMessage } from './note-peers.ts';
import {
  NOTHING_KNOWN,
  problemOfEnd,
  reduceSave,
  type SaveEvent,
  type SaveFacts,
  type SaveState,
  saveState,
} from './save-state.ts';
import { seedOf } from './seed.ts';

/** Part of a live note that a session uses. */
export type SessionNote = Pick<LiveNote, 'awareness' | 'state' | 'onState'> & Disposable;

export interface SessionOptions {
  readonly note: NoteRef;
  /** Opens the note over the socket with an earlier document of it, or an empty one. */
  open(noteId: string, doc: Doc): SessionNote;
  /** Initial text of the note, for servers that send no document and devices that may keep none. */
  readonly begun?: string;
  /** Store of documents on this device. */
  readonly store: LocalStore;
  /**
   * The other tabs that have the note open; null if the browser has no channel between tabs, which then read the store
   * later.
   */
  readonly peers: NotePeers | null;
  /** Unique name of this session among the writers of the store. */
  readonly writer: string;
  /** Undo histories kept between sessions; without it, they end with the session. */
  readonly steps?: KeptSteps;
  now(): number;
  /** Calls a function once, after typed text has been drawn. */
  delay(call: () => void): void;
  /** Calls a function repeatedly; returns a function that ends it. */
  every(milliseconds: number, call: () => void): () => void;
}

const CHECK_MS = 1_000;

/**
 * An open note: its document, its copy on this device, its connection, and their state. With a copy, the note can be
 * edited before it is connected. All tabs share the copy.
 */
export class NoteSession implements Disposable {
  readonly #options: SessionOptions;
  readonly #changes = new ObservableValue(0);
  readonly #stop: () => void;
  #doc = new Doc();
  #undo = new UndoManager(this.#doc.getText(TEXT));
  #facts: SaveFacts = NOTHING_KNOWN;
  #note: SessionNote | null = null;
  #keeper: LocalKeeper | null = null;
  #generation = 0;
  /** Resolves when the copy on this device has been read and every message of other tabs has been applied. */
  #ready: Promise<void>;
  /**
   * Whether an update that edits of another tab depend on is missing here, so that the connection has sent only some of
   * them.
   */
  #isBehind = false;
  #canWrite: boolean | null = null;
  #couldWrite = false;
  #isDisposed = false;
  #state: SaveState;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#state = saveState(this.#facts, options.now());
    this.#stop = options.every(CHECK_MS, () => this.#check());
    this.#ready = this.#start();
    options.peers?.listen((message) => {
      this.#ready = this.#ready.then(() => this.#hear(message));
    });
  }

  /** Increases when the editor must be recreated, because the document or the connection was replaced. */
  get generation(): number {
    return this.#generation;
  }

  get text(): Text {
    return this.#doc.getText(TEXT);
  }

  /** The undo history of edits made here. */
  get undo(): UndoManager {
    return this.#undo;
  }

  get awareness(): SessionNote['awareness'] {
    return this.#note?.awareness ?? null;
  }

  get state(): SaveState {
    return this.#state;
  }

  /** Whether this client may edit; null before it is known. */
  get canWrite(): boolean | null {
    return this.#canWrite;
  }

  /** Whether this client lost the right to edit while the note was open. */
  get isLowered(): boolean {
    return this.#canWrite === false && (this.#couldWrite || this.#state.hasUnsent);
  }

  /** Whether the text can be edited. Before the first sync, an empty document must not be typed into. */
  get isReady(): boolean {
    return lineageOf(this.#doc) !== null;
  }

  /** Counter that increases when any of the properties above may have changed. */
  get changes(): Observable<number> {
    return this.#changes;
  }

  /** Reconnects with the same document, after a stalled connection or on request. */
  reconnect(): void {
    if (this.#isDisposed) return;
    this.#note?.[Symbol.dispose]();
    this.#isBehind = hasGaps(this.#doc);
    this.#report({ type: 'disconnected' });
    this.#report({ type: 'problem-gone' });
    this.#connect();
  }

  /** Stashes the copies with unsent edits, and loads the server's note. Resolves to the stashed copies. */
  async startOver(): Promise<readonly StashedNote[]> {
    const stashed = await this.#startOver();
    this.#options.peers?.post({ type: 'removed' });
    return stashed;
  }

  /** Restores stashed copies as the text of the note. */
  async unstash(stashed: readonly StashedNote[]): Promise<void> {
    this.#note?.[Symbol.dispose]();
    this.#keeper?.[Symbol.dispose]();
    await this.kept();
    for (const note of stashed) await this.#options.store.unstash(note);
    if (this.#isDisposed) return;
    this.#empty();
    this.#ready = this.#start();
    await this.#ready;
  }

  /**
   * Removes the copies on this device, because the text was saved elsewhere or discarded. The session cannot be used
   * afterwards.
   */
  async forget(): Promise<void> {
    this.#note?.[Symbol.dispose]();
    await this.#keeper?.remove();
    this.#options.peers?.post({ type: 'removed' });
  }

  /**
   * Returns whether this session sends these edits and records them as sent. Edits of tabs that were closed before they
   * could announce them are read from the device first.
   */
  async sends(edits: readonly Edits[]): Promise<boolean> {
    await this.#ready;
    if (this.#keeper?.covers(edits) === false) {
      const copy = await this.#load();
      if (copy !== null) await this.#hear({ type: 'updates', ...copy, isKept: true });
    }
    return this.state.isConnected && this.state.problem === null && this.#keeper?.covers(edits) === true;
  }

  /** Resolves when every edit so far has been stored on this device or has failed to be. */
  async kept(): Promise<void> {
    await this.#keeper?.flush();
  }

  /** Closes the note. Unsent edits that could be stored stay on this device. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#stop();
    this.#note?.[Symbol.dispose]();
    this.#keeper?.[Symbol.dispose]();
    this.#leaveSteps();
    void this.kept().then(() => this.#options.peers?.[Symbol.dispose]());
  }

  async #startOver(): Promise<readonly StashedNote[]> {
    this.#note?.[Symbol.dispose]();
    const stashed = (await this.#keeper?.stash().catch(() => [])) ?? [];
    if (this.#isDisposed) return stashed;
    this.#empty();
    this.#watch([]);
    this.#connect();
    return stashed;
  }

  #leaveSteps(): void {
    const { note, steps } = this.#options;
    const own = { doc: this.#doc, undo: this.#undo };
    own.doc.off('update', this.#onUpdate);
    const isWorthKeeping = (own.undo.canUndo() || own.undo.canRedo()) && !hasGaps(own.doc);
    if (steps !== undefined && isWorthKeeping) steps.keep(note.id, own);
    else destroySteps(own);
  }

  /** Reuses the document of an earlier session, if the copy on this device contains all of it. */
  #takeSteps(copy: Doc): void {
    const { note, steps } = this.#options;
    const kept = steps?.take(note.id) ?? null;
    if (kept === null) return;
    const isUsed = isContinuedBy(kept.doc, copy);
    destroySteps(isUsed ? { doc: this.#doc, undo: this.#undo } : kept);
    if (!isUsed) return;
    this.#doc = kept.doc;
    this.#undo = kept.undo;
  }

  #empty(): void {
    destroySteps({ doc: this.#doc, undo: this.#undo });
    this.#doc = new Doc();
    this.#undo = new UndoManager(this.#doc.getText(TEXT));
    this.#facts = NOTHING_KNOWN;
    this.#canWrite = null;
    this.#isBehind = false;
  }

  async #start(): Promise<void> {
    const copy = await this.#load((probe) => this.#takeSteps(probe));
    if (this.#isDisposed) return;
    if (copy !== null) {
      for (const update of copy.updates) applyUpdate(this.#doc, update, LOCAL_ORIGIN);
      this.#report({ type: 'loaded-locally', hasUnsent: copy.unsent.length > 0 });
    }
    this.#watch(copy?.unsent ?? []);
    const { begun } = this.#options;
    // The device could not store a document: it is created here, and stored once there is space.
    if (copy === null && begun !== undefined) {
      applyUpdate(this.#doc, seedOf(begun).update);
      this.#report({ type: 'loaded-locally', hasUnsent: false });
    }
    this.#connect();
  }

  /** Loads the copy on this device. A copy whose document has another lineage than recorded is ignored. */
  async #load(use: (probe: Doc) => void = () => undefined): Promise<LocalCopy | null> {
    const { store, note } = this.#options;
    try {
      const copy = await store.load(note.id);
      if (copy === null) return null;
      const probe = new Doc();
      for (const update of copy.updates) applyUpdate(probe, update);
      const isSound = lineageOf(probe) === copy.lineage && probe.store.pendingStructs === null;
      if (isSound && !this.#isDisposed) use(probe);
      probe.destroy();
      return isSound ? copy : null;
    } catch {
      this.#report({ type: 'not-kept' });
      return null;
    }
  }

  #watch(loaded: readonly Edits[]): void {
    const { store, note, peers, writer, delay } = this.#options;
    const doc = this.#doc;
    doc.on('update', this.#onUpdate);
    const report = (event: SaveEvent) => {
      // A tab's memory is no durable storage, so nothing counts as kept.
      if (doc === this.#doc && store.isDurable) this.#report(event);
    };
    if (!store.isDurable) this.#report({ type: 'not-kept' });
    const post = (message: PeerMessage) => peers?.post(message);
    this.#keeper = new LocalKeeper({ store, note, doc, writer, loaded, report, post, delay });
  }

  /** Applies a message of another tab. */
  async #hear(message: PeerMessage): Promise<void> {
    if (this.#isDisposed) return;
    if (message.type === 'removed') return void (await this.#startOver());
    if (message.lineage !== lineageOf(this.#doc)) return;
    const origin = message.isKept ? LOCAL_ORIGIN : UNKEPT_ORIGIN;
    for (const update of message.updates) applyUpdate(this.#doc, update, origin);
    this.#isBehind ||= hasGaps(this.#doc);
    if (message.unsent.length === 0) return;
    this.#keeper?.addOthers(message.unsent);
    // The server may have sent these edits before the other tab announced them.
    if (this.#note?.state.isSaved !== true || this.#isBehind) this.#report({ type: 'edited' });
    if (this.#note !== null) this.#follow(this.#note.state);
  }

  readonly #onUpdate = (_update: Uint8Array, origin: unknown, doc: Doc, { local }: { local: boolean }): void => {
    if (local && origin !== LOCAL_ORIGIN) this.#report({ type: 'edited' });
    // The missing update came from the server. The connection would also treat the updates after it as the server's,
    // and not send them.
    if (this.#isBehind && !hasGaps(doc)) queueMicrotask(() => this.#isBehind && this.reconnect());
  };

  #connect(): void {
    const note = this.#options.open(this.#options.note.id, this.#doc);
    this.#note = note;
    this.#generation++;
    note.onState((state) => {
      if (note === this.#note) this.#follow(state);
    });
    this.#follow(note.state);
  }

  #follow({ isSynced, isSaved, canWrite, isRejected, end }: LiveNoteState): void {
    this.#canWrite = canWrite;
    this.#couldWrite ||= canWrite === true;
    this.#report({ type: isSynced ? 'connected' : 'disconnected' });
    if (isSaved && this.#facts.problem === null && !this.#isBehind) {
      this.#report({ type: 'acknowledged' });
      this.#keeper?.markSent();
    }
    if (end !== null) this.#end(end);
    else if (canWrite === false && (isRejected || this.#facts.unsentSince !== null)) {
      this.#report({ type: 'problem', problem: 'no-permission' });
    } else if (isRejected) this.#report({ type: 'problem', problem: 'edit-refused' });
    else if (canWrite === true && this.#facts.problem === 'no-permission') this.#report({ type: 'problem-gone' });
  }

  #end(reason: string): void {
    const problem = problemOfEnd(reason);
    // A stale copy without unsent edits is useless once the server has sent the note.
    if (problem === 'foreign-lineage' && this.#facts.unsentSince === null) void this.#startOver();
    else this.#report({ type: 'problem', problem });
  }

  #report(event: SaveEvent): void {
    this.#facts = reduceSave(this.#facts, event, this.#options.now());
    this.#check();
  }

  /** Computes the current state, and notifies listeners until the note is closed. */
  #check(): void {
    const state = saveState(this.#facts, this.#options.now());
    const before = this.#state;
    this.#state = state;
    if (state.isStalled && !before.isStalled) this.reconnect();
    if (!this.#isDisposed) this.#changes.set(this.#changes.get() + 1);
  }
}

/** Returns whether a document has updates that depend on missing ones. */
function hasGaps({ store }: Doc): boolean {
  return store.pendingStructs !== null || store.pendingDs !== null;
}
