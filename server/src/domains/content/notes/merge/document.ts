import { hash } from 'node:crypto';
import type { Edit } from '@notevault/note-text/diff/diff.ts';
import * as Y from 'yjs';

/**
 * The text of a note as a Yjs document (Yjs 13): one `Y.Text` named `content`. All offsets are UTF-16 units.
 *
 * A document is only ever edited under the client id of its note and feed epoch, on top of everything stored: a new id
 * for each edit would make the state grow without end, and a stable id on an outdated base would lose the edit.
 */
const TEXT = 'content';

/** A fixed guid, because nothing uses it and Yjs would generate a random one for every loaded document. */
const OPTIONS = { guid: 'note' };

/** Creates a document. Its first item is the genesis, from which every later one descends. */
export function seedDocument(clientId: number, text: string): Y.Doc {
  const doc = new Y.Doc(OPTIONS);
  editAs(doc, clientId, (content) => {
    content.insert(0, text === '' ? ' ' : text);
    if (text === '') content.delete(0, 1);
  });
  return doc;
}

/**
 * Runs one transaction under a client id and then resets the id: if Yjs received items of its own id from elsewhere, it
 * would assume a second process with the same id and change it.
 */
function editAs(doc: Y.Doc, clientId: number, edit: (content: Y.Text) => void): void {
  const own = doc.clientID;
  doc.clientID = clientId;
  doc.transact(() => edit(doc.getText(TEXT)));
  doc.clientID = own;
}

/** Returns the snapshot of `seedDocument`'s document without creating it. */
export function seedSnapshot(clientId: number, text: string): Uint8Array {
  if (text === '') return snapshotOf(seedDocument(clientId, text));
  return Y.encodeSnapshot(Y.createSnapshot(Y.createDeleteSet(), new Map([[clientId, text.length]])));
}

/** Loads a document from a state (Yjs update, v2). Throws on invalid bytes. */
export function loadDocument(state: Uint8Array): Y.Doc {
  const doc = new Y.Doc(OPTIONS);
  Y.applyUpdateV2(doc, state);
  return doc;
}

export function applyUpdate(doc: Y.Doc, update: Uint8Array): boolean {
  return applyUpdates(doc, [update]);
}

/**
 * Applies updates (v1) of peers, which must have been validated, in any order: clocks of processes differ, so an update
 * may precede one on which it depends.
 * @returns false when they depend on updates that the document lacks, or do not fit it; the document is then unusable.
 */
export function applyUpdates(doc: Y.Doc, updates: readonly Uint8Array[]): boolean {
  try {
    doc.transact(() => {
      for (const update of updates) Y.applyUpdate(doc, update);
    });
  } catch {
    // Yjs validates nothing: an update on which it fails does not fit the document.
    return false;
  }
  return doc.store.pendingStructs === null && doc.store.pendingDs === null;
}

/** Applies a stored state (v2) of the same document; returns false when it depends on updates that this lacks. */
export function applyState(doc: Y.Doc, state: Uint8Array): boolean {
  Y.applyUpdateV2(doc, state);
  return doc.store.pendingStructs === null && doc.store.pendingDs === null;
}

/** Returns the clock up to which the document has a client's edits. */
export function stateVectorMap(doc: Y.Doc, client: number): number {
  return Y.getState(doc.store, client);
}

/** Returns the clock up to which a snapshot (v1) has a client's edits. */
export function snapshotClock(snapshot: Uint8Array, client: number): number {
  return Y.decodeSnapshot(snapshot).sv.get(client) ?? 0;
}

/** Returns the number of items in the document, which determines its cost even if little text remains. */
export function structsOf(doc: Y.Doc): number {
  let count = 0;
  for (const structs of doc.store.clients.values()) count += structs.length;
  return count;
}

/** Returns everything that a peer with this state vector lacks, as a Yjs update (v1); null means an empty peer. */
export function missingFor(doc: Y.Doc, stateVector: Uint8Array | null): Uint8Array {
  return Y.encodeStateAsUpdate(doc, stateVector ?? undefined);
}

/** Whether the document contains everything in an update (v1). */
export function containsUpdate(doc: Y.Doc, update: Uint8Array): boolean {
  return Y.snapshotContainsUpdate(Y.snapshot(doc), update);
}

export function emptyDocument(): Y.Doc {
  return new Y.Doc(OPTIONS);
}

export function stateVectorOf(doc: Y.Doc): Uint8Array {
  return Y.encodeStateVector(doc);
}

/** Returns the first item, which has no origin and from which every other one descends; null for an empty document. */
export function genesisOf(doc: Y.Doc): { readonly client: number; readonly clock: number } | null {
  for (let item = doc.getText(TEXT)._start; item !== null; item = item.right) {
    if (item.origin === null && item.rightOrigin === null) return item.id;
  }
  return null;
}

export function mergedUpdate(updates: readonly Uint8Array[]): Uint8Array | undefined {
  return updates.length > 1 ? Y.mergeUpdates([...updates]) : updates[0];
}

/** Creates the document of a single update (v1). */
export function loadUpdate(update: Uint8Array): Y.Doc {
  const doc = new Y.Doc(OPTIONS);
  Y.applyUpdate(doc, update);
  return doc;
}

export function stateOf(doc: Y.Doc): Uint8Array {
  return Y.encodeStateAsUpdateV2(doc);
}

/** Returns well-formed text: a document can contain half a surrogate pair, a note cannot. Offsets are unchanged. */
export function textOf(doc: Y.Doc): string {
  return doc.getText(TEXT).toString().toWellFormed();
}

/** Returns the Yjs snapshot (v1) of a version: state vector and delete set. It is small even for a long history. */
export function snapshotOf(doc: Y.Doc): Uint8Array {
  return Y.encodeSnapshot(Y.snapshot(doc));
}

export function emptySnapshot(): Uint8Array {
  return Y.encodeSnapshot(Y.createSnapshot(Y.createDeleteSet(), new Map()));
}

/** Returns the lower-case hex SHA-256 of the snapshot: documents with the same edits have the same head. */
export function headOf(snapshot: Uint8Array): string {
  return hash('sha256', snapshot, 'hex');
}

/** Applies edits given in coordinates of the current text, last first so that offsets stay valid. */
export function editDocument(doc: Y.Doc, clientId: number, edits: readonly Edit[]): void {
  editAs(doc, clientId, (content) => {
    for (const edit of edits.toReversed()) {
      if (edit.remove > 0) content.delete(edit.at, edit.remove);
      if (edit.insert !== '') content.insert(edit.at, edit.insert);
    }
  });
}
