import type { LiveNote, LiveNoteState } from '@notevault/client/live/live-note.ts';
import { applyUpdate, Doc, type Text, UndoManager } from 'yjs';
import { type Observable, ObservableValue } from '../../platform/observable.ts';
import { lineageOf, TEXT } from './lineage.ts';
import { LOCAL_ORIGIN, LocalKeeper } from './local-keeper.ts';
import type { Aside, Edits, LocalCopy, LocalStore, NoteRef } from './local-store.ts';
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

/** What a session needs of a note over the socket. */
export type SessionNote = Pick<LiveNote, 'awareness' | 'state' | 'onState'> & Disposable;

export interface SessionOptions {
  readonly note: NoteRef;
  /** Opens the note over the socket, with a document of it from an earlier time or an empty one. */
  open(noteId: string, doc: Doc): SessionNote;
  /** The text that the note begins with, if the server does not give a document and the device may have none. */
  readonly begun?: string;
  /** Where documents are kept on this device. */
  readonly store: LocalStore;
  /** Names this session, and no other, among those that write to the store. */
  readonly writer: string;
  now(): number;
  /** Calls a function once, as soon as what was typed has been drawn. */
  soon(call: () => void): void;
  /** Calls a function repeatedly; returns a function that ends it. */
  every(milliseconds: number, call: () => void): () => void;
}

const LOOK_MS = 1_000;

/**
 * A note that is edited here: its document, its copy on this device, its connection, and what is true of them. The
 * document works before there is a connection, if there is a copy.
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
  #canWrite: boolean | null = null;
  #isDisposed = false;
  #state: SaveState;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#state = saveState(this.#facts, options.now());
    this.#stop = options.every(LOOK_MS, () => this.#look());
    void this.#start();
  }

  /** Increases when the editor must be made anew, because the document or the connection is another one. */
  get generation(): number {
    return this.#generation;
  }

  get text(): Text {
    return this.#doc.getText(TEXT);
  }

  /** The one history of edits made here. */
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

  /** Whether there is a text to edit: an empty document before the first sync must not be typed into. */
  get isReady(): boolean {
    return lineageOf(this.#doc) !== null;
  }

  /** How often anything above may have changed. */
  get changes(): Observable<number> {
    return this.#changes;
  }

  /** Connects anew, with the same document: after a connection stalled, or at the user's wish. */
  reconnect(): void {
    if (this.#isDisposed) return;
    this.#note?.[Symbol.dispose]();
    this.#report({ type: 'disconnected' });
    this.#report({ type: 'problem-gone' });
    this.#connect();
  }

  /** Sets the copies with unsent edits aside, and reads the note of the server. Resolves to what was set aside. */
  async startOver(): Promise<readonly Aside[]> {
    this.#note?.[Symbol.dispose]();
    const asides = (await this.#keeper?.setAside().catch(() => [])) ?? [];
    if (this.#isDisposed) return asides;
    this.#empty();
    this.#watch([]);
    this.#connect();
    return asides;
  }

  /** Makes what was set aside the text of the note again. */
  async bringBack(asides: readonly Aside[]): Promise<void> {
    this.#note?.[Symbol.dispose]();
    this.#keeper?.[Symbol.dispose]();
    await this.kept();
    for (const aside of asides) await this.#options.store.bringBack(aside);
    if (this.#isDisposed) return;
    this.#empty();
    await this.#start();
  }

  /** Removes the copies on this device: the text was saved elsewhere, or is not wanted. The session is useless then. */
  async forget(): Promise<void> {
    this.#note?.[Symbol.dispose]();
    await this.#keeper?.remove();
  }

  /** Resolves when this device has what happened so far, as far as it takes it. */
  async kept(): Promise<void> {
    await this.#keeper?.settled();
  }

  /** Leaves the note. Resolves nothing: what was not sent stays on this device, as far as it was kept. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#stop();
    this.#note?.[Symbol.dispose]();
    this.#keeper?.[Symbol.dispose]();
    this.#undo.destroy();
    this.#doc.destroy();
  }

  #empty(): void {
    this.#undo.destroy();
    this.#doc.destroy();
    this.#doc = new Doc();
    this.#undo = new UndoManager(this.#doc.getText(TEXT));
    this.#facts = NOTHING_KNOWN;
    this.#canWrite = null;
  }

  async #start(): Promise<void> {
    const copy = await this.#load();
    if (this.#isDisposed) return;
    if (copy !== null) {
      for (const update of copy.updates) applyUpdate(this.#doc, update, LOCAL_ORIGIN);
      this.#report({ type: 'loaded-locally', hasUnsent: copy.unsent.length > 0 });
    }
    this.#watch(copy?.unsent ?? []);
    const { begun } = this.#options;
    // The device took no document of it: it is made here, and kept as soon as there is room.
    if (copy === null && begun !== undefined) {
      applyUpdate(this.#doc, seedOf(begun).update);
      this.#report({ type: 'loaded-locally', hasUnsent: false });
    }
    this.#connect();
  }

  /** The copy on this device. One whose document is not of the lineage it is filed under is not used. */
  async #load(): Promise<LocalCopy | null> {
    const { store, note } = this.#options;
    try {
      const copy = await store.load(note.id);
      if (copy === null) return null;
      const probe = new Doc();
      for (const update of copy.updates) applyUpdate(probe, update);
      const isSound = lineageOf(probe) === copy.lineage && probe.store.pendingStructs === null;
      probe.destroy();
      return isSound ? copy : null;
    } catch {
      this.#report({ type: 'not-kept' });
      return null;
    }
  }

  #watch(loaded: readonly Edits[]): void {
    const { store, note, writer, soon } = this.#options;
    const doc = this.#doc;
    doc.on('update', (_update: Uint8Array, origin: unknown, _doc: Doc, { local }: { local: boolean }) => {
      if (local && origin !== LOCAL_ORIGIN) this.#report({ type: 'edited' });
    });
    const report = (event: SaveEvent) => {
      // A tab's memory holds edits, but nothing is kept by it.
      if (doc === this.#doc && store.isDurable) this.#report(event);
    };
    if (!store.isDurable) this.#report({ type: 'not-kept' });
    this.#keeper = new LocalKeeper({ store, note, doc, writer, loaded, report, soon });
  }

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
    this.#report({ type: isSynced ? 'connected' : 'disconnected' });
    if (isSaved && this.#facts.problem === null) {
      this.#report({ type: 'acknowledged' });
      this.#keeper?.markSent();
    }
    if (end !== null) this.#end(end);
    else if (isRejected) this.#report({ type: 'problem', problem: 'edit-refused' });
    else if (canWrite === false && this.#facts.unsentSince !== null) {
      this.#report({ type: 'problem', problem: 'no-permission' });
    } else if (canWrite === true && this.#facts.problem === 'no-permission') this.#report({ type: 'problem-gone' });
  }

  #end(reason: string): void {
    const problem = problemOfEnd(reason);
    // An old copy without edits of its own is worth nothing beside the server's note.
    if (problem === 'foreign-lineage' && this.#facts.unsentSince === null) void this.startOver();
    else this.#report({ type: 'problem', problem });
  }

  #report(event: SaveEvent): void {
    this.#facts = reduceSave(this.#facts, event, this.#options.now());
    this.#look();
  }

  /** Computes what is true now, and tells of it until the note is left. */
  #look(): void {
    const state = saveState(this.#facts, this.#options.now());
    const before = this.#state;
    this.#state = state;
    if (state.isStalled && !before.isStalled) this.reconnect();
    if (!this.#isDisposed) this.#changes.set(this.#changes.get() + 1);
  }
}
