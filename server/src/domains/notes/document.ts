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
  doc.clientID = clientId;
  const content = doc.getText(TEXT);
  doc.transact(() => {
    content.insert(0, text === '' ? ' ' : text);
    if (text === '') content.delete(0, 1);
  });
  return doc;
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

export function stateOf(doc: Y.Doc): Uint8Array {
  return Y.encodeStateAsUpdateV2(doc);
}

export function textOf(doc: Y.Doc): string {
  return doc.getText(TEXT).toString();
}

/** What a version looked like: state vector and delete set (Yjs snapshot, v1). Small, whatever the history. */
export function snapshotOf(doc: Y.Doc): Uint8Array {
  return Y.encodeSnapshot(Y.snapshot(doc));
}

/** Lower-case hex SHA-256 of the snapshot: documents that went through the same edits have the same head. */
export function headOf(snapshot: Uint8Array): string {
  return createHash('sha256').update(snapshot).digest('hex');
}

/** Applies edits in the coordinates of the current text, last first so that offsets stay true. */
export function editDocument(doc: Y.Doc, clientId: number, edits: readonly Edit[]): void {
  const content = doc.getText(TEXT);
  // Set only now: while loading, Yjs would take the stored items of this id for a second process using it.
  doc.clientID = clientId;
  doc.transact(() => {
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
