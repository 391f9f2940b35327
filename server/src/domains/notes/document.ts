import { createHash } from 'node:crypto';
import type { Edit } from '@notevault/note-text/diff/diff.ts';
import * as Y from 'yjs';

/**
 * The text of a note as a Yjs document (Yjs 13): one `Y.Text` named `content`. All offsets are UTF-16 units.
 *
 * A document is only ever edited under the client id that belongs to its note and feed epoch, on top of everything
 * stored: a fresh id for each edit would grow the state without end, and a stable one on a stale base loses the edit.
 */
const TEXT = 'content';

/** A fixed guid: Yjs would draw a random one, letter by letter, for every document loaded, and nobody asks for it. */
const OPTIONS = { guid: 'note' };

/** A document begun by the server: its first item is the genesis that every later one descends from. */
export function seedDocument(clientId: number, text: string): Y.Doc {
  const doc = new Y.Doc(OPTIONS);
  editAs(doc, clientId, (content) => {
    content.insert(0, text === '' ? ' ' : text);
    if (text === '') content.delete(0, 1);
  });
  return doc;
}

/**
 * One transaction under a client id, which the document has only for so long: given items of its own id from elsewhere,
 * Yjs would take them for a second process using it, and change it.
 */
function editAs(doc: Y.Doc, clientId: number, edit: (content: Y.Text) => void): void {
  const own = doc.clientID;
  doc.clientID = clientId;
  doc.transact(() => edit(doc.getText(TEXT)));
  doc.clientID = own;
}

/** The snapshot that `seedDocument` gives a document, without making one. */
export function seedSnapshot(clientId: number, text: string): Uint8Array {
  if (text === '') return snapshotOf(seedDocument(clientId, text));
  return Y.encodeSnapshot(Y.createSnapshot(Y.createDeleteSet(), new Map([[clientId, text.length]])));
}

/** The document a state (Yjs update, v2) stands for. Throws on bytes that are none. */
export function loadDocument(state: Uint8Array): Y.Doc {
  const doc = new Y.Doc(OPTIONS);
  Y.applyUpdateV2(doc, state);
  return doc;
}

/** Takes a peer's update (v1), which must have been scanned. @returns false when it depends on what the document lacks. */
export function applyUpdate(doc: Y.Doc, update: Uint8Array): boolean {
  return applyUpdates(doc, [update]);
}

/**
 * Takes updates (v1) in any order: clocks of several processes differ, so one may stand before another it depends on.
 * @returns false when they depend on what the document lacks, or do not fit it; it is then of no use any more.
 */
export function applyUpdates(doc: Y.Doc, updates: readonly Uint8Array[]): boolean {
  try {
    transact(doc, () => {
      for (const update of updates) Y.applyUpdate(doc, update);
    });
  } catch {
    // Yjs checks nothing: what it stumbles over does not fit the document.
    return false;
  }
  return doc.store.pendingStructs === null && doc.store.pendingDs === null;
}

/** Lets several changes of a document be one: its observers are told once, of all of it. */
export function transact<T>(doc: Y.Doc, change: () => T): T {
  return doc.transact(change);
}

/** Takes a stored state (v2) of the same document. @returns false when it depends on what the document lacks. */
export function applyState(doc: Y.Doc, state: Uint8Array): boolean {
  Y.applyUpdateV2(doc, state);
  return doc.store.pendingStructs === null && doc.store.pendingDs === null;
}

/** The clock up to which the document knows a client's edits. */
export function stateVectorMap(doc: Y.Doc, client: number): number {
  return Y.getState(doc.store, client);
}

/** How many pieces the document is made of: what it costs in memory and time, whatever text is left of it. */
export function structsOf(doc: Y.Doc): number {
  let count = 0;
  for (const structs of doc.store.clients.values()) count += structs.length;
  return count;
}

/** What somebody with a state vector lacks (Yjs update, v1); null: somebody with nothing. */
export function missingFor(doc: Y.Doc, stateVector: Uint8Array | null): Uint8Array {
  return stateVector === null ? Y.encodeStateAsUpdate(doc) : Y.encodeStateAsUpdate(doc, stateVector);
}

/** Whether all that an update (v1) holds is in the document. */
export function containsUpdate(doc: Y.Doc, update: Uint8Array): boolean {
  return Y.snapshotContainsUpdate(Y.snapshot(doc), update);
}

/** As missingFor, as a Yjs update v2. */
export function missingStateFor(doc: Y.Doc, stateVector: Uint8Array | null): Uint8Array {
  return stateVector === null ? Y.encodeStateAsUpdateV2(doc) : Y.encodeStateAsUpdateV2(doc, stateVector);
}

/** The clocks that a state vector of ours names, by client. */
export function clocksOf(stateVector: Uint8Array): Map<number, number> {
  return Y.decodeStateVector(stateVector);
}

/** A document with nothing in it. */
export function emptyDocument(): Y.Doc {
  return new Y.Doc(OPTIONS);
}

export function stateVectorOf(doc: Y.Doc): Uint8Array {
  return Y.encodeStateVector(doc);
}

/** The first item of a document, which hangs on nothing; every other one descends from it. Null for an empty document. */
export function genesisOf(doc: Y.Doc): { readonly client: number; readonly clock: number } | null {
  for (let item = doc.getText(TEXT)._start; item !== null; item = item.right) {
    if (item.origin === null && item.rightOrigin === null) return item.id;
  }
  return null;
}

/** Several updates (v1) as one. */
export function mergedUpdate(updates: readonly Uint8Array[]): Uint8Array | undefined {
  return updates.length > 1 ? Y.mergeUpdates([...updates]) : updates[0];
}

/** The document that an update (v1) makes on its own. */
export function loadUpdate(update: Uint8Array): Y.Doc {
  const doc = new Y.Doc(OPTIONS);
  Y.applyUpdate(doc, update);
  return doc;
}

export function stateOf(doc: Y.Doc): Uint8Array {
  return Y.encodeStateAsUpdateV2(doc);
}

/** Well-formed: a document can hold half a surrogate pair, a note cannot. Offsets stay the same. */
export function textOf(doc: Y.Doc): string {
  return doc.getText(TEXT).toString().toWellFormed();
}

/** What a version looked like: state vector and delete set (Yjs snapshot, v1). Small, whatever the history. */
export function snapshotOf(doc: Y.Doc): Uint8Array {
  return Y.encodeSnapshot(Y.snapshot(doc));
}

/** The snapshot of a document nobody has begun. */
export function emptySnapshot(): Uint8Array {
  return Y.encodeSnapshot(Y.createSnapshot(Y.createDeleteSet(), new Map()));
}

/** Lower-case hex SHA-256 of the snapshot: documents that went through the same edits have the same head. */
export function headOf(snapshot: Uint8Array): string {
  return createHash('sha256').update(snapshot).digest('hex');
}

/** Applies edits in the coordinates of the current text, last first so that offsets stay true. */
export function editDocument(doc: Y.Doc, clientId: number, edits: readonly Edit[]): void {
  editAs(doc, clientId, (content) => {
    for (const edit of edits.toReversed()) {
      if (edit.remove > 0) content.delete(edit.at, edit.remove);
      if (edit.insert !== '') content.insert(edit.at, edit.insert);
    }
  });
}
