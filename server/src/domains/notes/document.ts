import { createHash } from 'node:crypto';
import type { Edit } from '@notevault/note-text/diff.ts';
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

/** Takes a peer's update (v1), which must have been scanned. @returns false when it leans on what the document lacks. */
export function takeUpdate(doc: Y.Doc, update: Uint8Array): boolean {
  return takeUpdates(doc, [update]);
}

/**
 * Takes updates (v1) in any order: clocks of several processes differ, so one may stand before another it leans on.
 * @returns false when they lean on what the document lacks, or do not fit it; it is then of no use any more.
 */
export function takeUpdates(doc: Y.Doc, updates: readonly Uint8Array[]): boolean {
  try {
    inOneGo(doc, () => {
      for (const update of updates) Y.applyUpdate(doc, update);
    });
  } catch {
    // Yjs checks nothing: what it stumbles over does not fit the document.
    return false;
  }
  return doc.store.pendingStructs === null && doc.store.pendingDs === null;
}

/** Lets several changes of a document be one: its observers are told once, of all of it. */
export function inOneGo<T>(doc: Y.Doc, change: () => T): T {
  return doc.transact(change);
}

/** Takes a stored state (v2) of the same document. @returns false when it leans on what the document lacks. */
export function takeState(doc: Y.Doc, state: Uint8Array): boolean {
  Y.applyUpdateV2(doc, state);
  return doc.store.pendingStructs === null && doc.store.pendingDs === null;
}

/** The clock up to which the document knows a client's edits. */
export function knownOf(doc: Y.Doc, client: number): number {
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

/**
 * Applies edits made against an older version as if they had been made at the same time as everything that came since:
 * what others inserted stays, what the edits insert stays, what either deleted is gone.
 *
 * @param base the version the edits are offsets into: its snapshot, and the length of its text.
 * @returns false, and nothing done, when the document cannot tell where that version's text was.
 */
export function mergeEdits(doc: Y.Doc, clientId: number, base: BaseVersion, edits: readonly Edit[]): boolean {
  const runs = runsSince(doc, Y.decodeSnapshot(base.snapshot));
  const last = runs.at(-1);
  if ((last === undefined ? 0 : last.baseStart + last.length) !== base.length) return false;
  editDocument(doc, clientId, edits.flatMap((edit) => rebase(edit, runs)).sort(inTextOrder));
  return true;
}

export interface BaseVersion {
  readonly snapshot: Uint8Array;
  /** In UTF-16 units. */
  readonly length: number;
}

/** A run of characters of the base version: where it stood there, and where it stands now (or stood, when deleted since). */
interface Run {
  readonly baseStart: number;
  readonly length: number;
  readonly nowStart: number;
  readonly alive: boolean;
}

/** Walks the document's items once, in text order, and keeps those that the base version showed. */
function runsSince(doc: Y.Doc, base: Y.Snapshot): Run[] {
  const runs: Run[] = [];
  let baseAt = 0;
  let nowAt = 0;
  for (let item = doc.getText(TEXT)._start; item !== null; item = item.right) {
    // What is deleted has lost its kind; formatting marks (not countable) hold no text.
    if (!item.deleted && !item.countable) continue;
    const { client, clock } = item.id;
    const alive = !item.deleted;
    for (const [from, to] of shownIn(base, client, clock, item.length)) {
      runs.push({ baseStart: baseAt, length: to - from, nowStart: alive ? nowAt + from - clock : nowAt, alive });
      baseAt += to - from;
    }
    if (alive) nowAt += item.length;
  }
  return runs;
}

/** The clock ranges of an item that a snapshot shows: known to its state vector and not in its delete set. */
function shownIn(base: Y.Snapshot, client: number, clock: number, length: number): [from: number, to: number][] {
  const end = Math.min(clock + length, base.sv.get(client) ?? 0);
  const shown: [number, number][] = [];
  let at = clock;
  for (const deleted of base.ds.clients.get(client) ?? []) {
    if (deleted.clock >= end) break;
    if (deleted.clock + deleted.len <= at) continue;
    if (deleted.clock > at) shown.push([at, deleted.clock]);
    at = deleted.clock + deleted.len;
  }
  if (at < end) shown.push([at, end]);
  return shown;
}

/**
 * One edit of the base text in today's coordinates: a deletion for each run it touches that is still there, then the
 * insertion. That goes behind what the edit removed, as it does when Yjs applies an edit to a text nobody else changed:
 * letters that somebody typed into a removed line then stand before the line in its stead, not at the head of the next.
 */
function rebase(edit: Edit, runs: readonly Run[]): Edit[] {
  const end = edit.at + edit.remove;
  const edits: Edit[] = [];
  for (let index = firstEndingAfter(runs, edit.at); index < runs.length; index++) {
    const run = runs[index];
    if (run === undefined || run.baseStart >= end) break;
    const from = Math.max(edit.at, run.baseStart);
    const to = Math.min(end, run.baseStart + run.length);
    if (run.alive) edits.push({ at: run.nowStart + from - run.baseStart, remove: to - from, insert: '' });
  }
  if (edit.insert !== '') edits.push({ at: positionOf(end, runs), remove: 0, insert: edit.insert });
  return edits;
}

/** Where the gap before the base offset is now: right behind the character that preceded it. */
function positionOf(baseAt: number, runs: readonly Run[]): number {
  if (baseAt === 0) return 0;
  const run = runs[firstEndingAfter(runs, baseAt - 1)];
  if (run === undefined) return 0;
  return run.alive ? run.nowStart + baseAt - run.baseStart : run.nowStart;
}

/** Index of the run that holds the base offset (binary search); runs lie side by side. */
function firstEndingAfter(runs: readonly Run[], baseAt: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const run = runs[middle];
    if (run !== undefined && run.baseStart + run.length <= baseAt) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** By position; at one position insertions come first, so that applying from the end deletes before it inserts. */
function inTextOrder(a: Edit, b: Edit): number {
  return a.at - b.at || a.remove - b.remove;
}
