import type { Run } from '@notevault/note-text/diff/runs.ts';
import { clientEdits } from '@notevault/note-text/diff/three-way.ts';
import * as Y from 'yjs';
import { editDocument, textOf } from './document.ts';

/** An older version of a note: its text, and the Yjs snapshot (v1) of its document. */
export interface BaseVersion {
  readonly text: string;
  readonly snapshot: Uint8Array;
}

/**
 * Merges `text` as an edit of an older version that is concurrent with all later changes: insertions of both sides
 * stay, deletions of either side apply, and a change made by both is applied once.
 *
 * @returns false, with nothing changed, when the document cannot locate that version's text.
 */
export function mergeText(doc: Y.Doc, clientId: number, base: BaseVersion, text: string): boolean {
  const runs = runsSince(doc, Y.decodeSnapshot(base.snapshot));
  const last = runs.at(-1);
  if ((last === undefined ? 0 : last.baseStart + last.length) !== base.text.length) return false;
  editDocument(doc, clientId, clientEdits({ base: base.text, stored: textOf(doc), client: text, runs }));
  return true;
}

/** Walks the document's items once, in text order, and keeps those that are visible in the base version. */
function runsSince(doc: Y.Doc, base: Y.Snapshot): Run[] {
  const runs: Run[] = [];
  let baseAt = 0;
  let nowAt = 0;
  for (let item = doc.getText('content')._start; item !== null; item = item.right) {
    // Deleted items have lost their type; formatting marks (not countable) contain no text.
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

/**
 * Returns the clock ranges of an item that are visible in a snapshot: in its state vector and not in its delete set.
 */
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
