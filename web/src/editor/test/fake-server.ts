import type { LiveNoteState } from '@notevault/client/live/live-note.ts';
import { applyUpdate, Doc, encodeStateAsUpdate, encodeStateVector } from 'yjs';
import { lineageOf, TEXT } from '../collab/lineage.ts';
import type { SessionNote } from '../collab/note-session.ts';

const SERVER_ORIGIN = { name: 'server' };

/**
 * Simulated server of one note. Sessions connect to it as over a socket; it acknowledges edits when the test says so.
 */
export class FakeServer {
  readonly doc = new Doc();
  readonly notes: FakeNote[] = [];
  isUp = true;

  constructor(text: string, clientId = 1) {
    this.doc.clientID = clientId;
    this.doc.getText(TEXT).insert(0, text);
  }

  get text(): string {
    return this.doc.getText(TEXT).toString();
  }

  readonly open = (_noteId: string, doc: Doc): FakeNote => {
    const note = new FakeNote(this, doc);
    this.notes.push(note);
    return note;
  };
}

export class FakeNote implements SessionNote {
  readonly awareness = null;
  readonly #server: FakeServer;
  readonly #doc: Doc;
  readonly #listeners = new Set<(state: LiveNoteState) => void>();
  /** Edits sent since the documents were last compared. */
  readonly #sent: Uint8Array[] = [];
  state: LiveNoteState = { isSynced: false, isSaved: false, canWrite: null, isRejected: false, end: null };
  isLeft = false;

  constructor(server: FakeServer, doc: Doc) {
    this.#server = server;
    this.#doc = doc;
    doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin === SERVER_ORIGIN) return;
      this.#sent.push(update);
      this.#set({ isSaved: false });
    });
  }

  /** Exchanges all edits with the server, including the acknowledgement. */
  sync(): void {
    const own = lineageOf(this.#doc);
    if (own !== null && own !== lineageOf(this.#server.doc)) {
      this.end('foreign_lineage');
      return;
    }
    this.receive();
    this.#set({ isSynced: true, canWrite: true });
    this.#sent.push(encodeStateAsUpdate(this.#doc, encodeStateVector(this.#server.doc)));
    this.acknowledge();
  }

  /** Receives the edits that others have sent to the server. */
  receive(): void {
    applyUpdate(this.#doc, encodeStateAsUpdate(this.#server.doc, encodeStateVector(this.#doc)), SERVER_ORIGIN);
  }

  /** Lets the server accept and acknowledge the sent edits. */
  acknowledge(): void {
    for (const update of this.#sent.splice(0)) applyUpdate(this.#server.doc, update);
    this.#set({ isSaved: true });
  }

  drop(): void {
    this.#set({ isSynced: false, isSaved: false });
  }

  end(reason: string): void {
    this.#set({ end: reason, isSynced: false, isSaved: false });
  }

  change(changed: Partial<LiveNoteState>): void {
    this.#set(changed);
  }

  onState(listener: (state: LiveNoteState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  [Symbol.dispose](): void {
    this.isLeft = true;
    this.#listeners.clear();
  }

  #set(changed: Partial<LiveNoteState>): void {
    this.state = { ...this.state, ...changed };
    for (const listener of [...this.#listeners]) listener(this.state);
  }
}
