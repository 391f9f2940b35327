import type { DiffLimits, Edit } from '@notevault/note-text/diff/diff.ts';
import type { Insertion, Run, Texts } from '@notevault/note-text/diff/runs.ts';
import { clientEdits } from '@notevault/note-text/diff/three-way.ts';
import { type GaveWay, mergeNote } from '@notevault/note-text/merge/merge-note.ts';
import * as Y from 'yjs';
import { editDocument, textOf } from './document.ts';

/** Steps of a comparison after which TooManySteps is thrown; the comparison can then be made on another thread. */
export type StepLimits = Partial<Pick<DiffLimits, 'allowed'>>;

export interface MergeOptions extends StepLimits, Pick<Texts, 'keepsTargets'> {
  /** The edits that lead from the older version to the text, where they are known; found by comparison otherwise. */
  readonly changes?: readonly Edit[] | undefined;
}

/** A range of clocks of one client. */
export type ClockRange = readonly [from: number, to: number];

/** An older version of a note: its text, and the Yjs snapshot (v1) of its document. */
export interface BaseVersion {
  readonly text: string;
  readonly snapshot: Uint8Array;
}

/**
 * Merges `text` as an edit of an older version that is concurrent with all later changes: insertions of both sides
 * stay, deletions of either side apply, and a change made by both is applied once. Words that both changed stand side by
 * side, and of two values of one place the one of `text` stands.
 *
 * @param boundaries the clocks of `clientId`, in order, at which one of its writes ended and another began.
 * @param limits past which TooManySteps is thrown, with nothing changed.
 * @returns the values that gave way; null, with nothing changed, when the document cannot locate that version's text.
 */
export function mergeText(
  doc: Y.Doc,
  clientId: number,
  base: BaseVersion,
  text: string,
  boundaries: readonly number[],
  { keepsTargets = false, changes, ...limits }: MergeOptions = {},
): GaveWay[] | null {
  const { runs, insertions } = changesSince(doc, Y.decodeSnapshot(base.snapshot), clientId, boundaries);
  const last = runs.at(-1);
  if ((last === undefined ? 0 : last.baseStart + last.length) !== base.text.length) return null;
  const texts = { base: base.text, stored: textOf(doc), client: text, runs, insertions, keepsTargets };
  const { edits, gaveWay } = mergeNote(texts, (body) => clientEdits(body, limits, changesBelow(texts, body, changes)));
  editDocument(doc, clientId, edits);
  return gaveWay;
}

/** Returns the changes below the frontmatter; undefined where one crosses its end. */
function changesBelow(whole: Texts, body: Texts, changes: readonly Edit[] | undefined): Edit[] | undefined {
  if (changes === undefined) return undefined;
  const [start, clientStart] = [whole.base.length - body.base.length, whole.client.length - body.client.length];
  const above = changes.filter(({ at }) => at < start);
  const shift = above.reduce((sum, { remove, insert }) => sum + insert.length - remove, 0);
  const { at, remove } = above.at(-1) ?? { at: 0, remove: 0 };
  if (at + remove > start || start + shift !== clientStart) return undefined;
  return changes.slice(above.length).map((edit) => ({ ...edit, at: edit.at - start }));
}

/** Walks the document's items once, in text order: those that are visible in the base version, and all later ones. */
function changesSince(doc: Y.Doc, base: Y.Snapshot, clientId: number, boundaries: readonly number[]) {
  const runs: Run[] = [];
  const insertions: Insertion[] = [];
  let baseAt = 0;
  let nowAt = 0;
  for (let item = doc.getText('content')._start; item !== null; item = item.right) {
    // Deleted items have lost their type; formatting marks (not countable) contain no text.
    if (!item.deleted && !item.countable) continue;
    const { client, clock } = item.id;
    const alive = !item.deleted;
    const insert = (from: number, to: number) => {
      if (!alive) return;
      for (const write of writesOf(client, from, to, client === clientId ? boundaries : [])) {
        insertions.push({ ...write, from: nowAt + write.from - clock, to: nowAt + write.to - clock });
      }
    };
    let inserted = clock;
    for (const [from, to] of shownIn(base, client, clock, item.length)) {
      insert(inserted, from);
      runs.push({ baseStart: baseAt, length: to - from, nowStart: alive ? nowAt + from - clock : nowAt, alive });
      baseAt += to - from;
      inserted = to;
    }
    insert(inserted, clock + item.length);
    if (alive) nowAt += item.length;
  }
  return { runs, insertions };
}

/** Splits a range of clocks of a client at the boundaries of its writes. All that a person types is one write. */
function writesOf(client: number, from: number, to: number, boundaries: readonly number[]): Insertion[] {
  const writes: Insertion[] = [];
  let index = firstAfter(boundaries, from);
  for (let at = from; at < to; index++) {
    const end = Math.min(to, boundaries[index] ?? to);
    writes.push({ from: at, to: end, write: `${client}:${index}` });
    at = end;
  }
  return writes;
}

/** The index of the first of some sorted numbers that is over a limit (binary search). */
function firstAfter(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? limit) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the clock ranges of an item visible in a snapshot: in its state vector and not in its delete set. */
export function shownIn(base: Y.Snapshot, client: number, clock: number, length: number): ClockRange[] {
  const end = Math.min(clock + length, base.sv.get(client) ?? 0);
  const shown: ClockRange[] = [];
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
