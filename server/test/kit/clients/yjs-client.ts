import type { TestContext } from 'node:test';
import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import * as Y from 'yjs';
import type { App } from '../../../src/app.ts';
import type { CloseReason, LiveNote } from '../../../src/domains/content/notes/notes.ts';
import type { NotesServer } from '../notes.ts';

/** A note that bob has open. Everyone who joins leaves when the test ends, and the server is disposed. */
export async function editNote(t: TestContext, notes: NotesServer, content = 'text') {
  const opened = new AsyncDisposableStack();
  t.after(() => opened.disposeAsync());
  const { server, alice } = opened.use(notes);
  const note = await alice.write('a.md', content);
  const join = async (name: string) => opened.use(await new YjsClient(name).join(server.app, alice.vault, note.id));
  return { server, alice, note, bob: await join('bob'), join };
}

/** Edits a note's document as a client does, without a socket in between. */
export class YjsClient implements Disposable {
  readonly doc: Y.Doc;
  /** Why the server closed the document; null while it is open. */
  closed: CloseReason | null = null;
  /** Number of updates that the server sent unasked. */
  heard = 0;
  readonly #name: string;
  readonly #userId: string | undefined;
  #live: LiveNote | undefined;

  constructor(name: string, doc: Y.Doc = new Y.Doc(), userId?: string) {
    this.#name = name;
    this.#userId = userId;
    this.doc = doc;
  }

  /** Opens the note and applies the server's state. Earlier local edits are sent to the server. */
  async join(app: Pick<App, 'vaults' | 'notes'>, vaultId: string, noteId: string): Promise<this> {
    const vault = await app.vaults.openAsSystem(vaultId as VaultId);
    if (vault === null) throw new Error('the vault is gone');
    this.closed = null;
    this.#live = await app.notes.live.open(vault, noteId as NoteId, {
      update: (update) => {
        this.heard += 1;
        Y.applyUpdate(this.doc, update, 'server');
      },
      closed: (reason) => {
        this.closed = reason;
      },
    });
    await this.sync();
    return this;
  }

  /** Syncs both ways, as a handshake does. Resolves to the server's reply to the update. */
  async sync(): Promise<string> {
    const live = this.#handle();
    const missing = await live.missingFor(Y.encodeStateVector(this.doc));
    if (typeof missing === 'string') return missing;
    Y.applyUpdate(this.doc, missing, 'server');
    const mine = Y.encodeStateAsUpdate(this.doc, await live.stateVector());
    return this.send(mine);
  }

  /**
   * Makes an edit at an offset (the end by default) and sends it. Resolves to the server's reply once it is
   * acknowledged.
   */
  type(insert: string, at = this.text.length, remove = 0): Promise<string> {
    return this.send(this.draft(insert, at, remove));
  }

  /** Like `type`, but only creates the update. */
  draft(insert: string, at = this.text.length, remove = 0): Uint8Array {
    const before = Y.encodeStateVector(this.doc);
    const content = this.doc.getText('content');
    this.doc.transact(() => {
      if (remove > 0) content.delete(at, remove);
      if (insert !== '') content.insert(at, insert);
    });
    return Y.encodeStateAsUpdate(this.doc, before);
  }

  /** Like `draft`, with one update for each edit made. */
  drafts(edit: (content: Y.Text) => void): Uint8Array {
    const before = Y.encodeStateVector(this.doc);
    this.doc.transact(() => edit(this.doc.getText('content')));
    return Y.encodeStateAsUpdate(this.doc, before);
  }

  async send(update: Uint8Array): Promise<string> {
    const [taken = ''] = await this.sendAll([update]);
    return taken;
  }

  /** Sends updates that arrive together. */
  sendAll(updates: readonly Uint8Array[]): Promise<string[]> {
    const person = this.#userId === undefined ? {} : { userId: this.#userId };
    return this.#handle().apply(updates, { kind: 'session', name: this.#name, ...person });
  }

  get text(): string {
    return this.doc.getText('content').toString();
  }

  leave(): void {
    this.#live?.[Symbol.dispose]();
    this.#live = undefined;
  }

  [Symbol.dispose](): void {
    this.leave();
  }

  #handle(): LiveNote {
    if (this.#live === undefined) throw new Error('not joined');
    return this.#live;
  }
}
