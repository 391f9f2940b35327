import type { Edit } from '@notevault/note-text/diff/diff.ts';
import { applyEdits } from '@notevault/note-text/diff/diff.ts';
import { joinsWords } from '@notevault/note-text/diff/tokens.ts';
import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import * as Y from 'yjs';
import { type BaseVersion, type ClockRange, shownIn } from './merge.ts';

/** Snapshots before and after a write. */
export type SnapshotPair = readonly [before: Uint8Array, after: Uint8Array];

/** The clocks that writes inserted, by client. */
export type InsertedRanges = ReadonlyMap<number, readonly ClockRange[]>;

/** Returns the clocks that writes inserted, by client and in order. */
export function insertedBy(writes: readonly SnapshotPair[]): InsertedRanges {
  const ranges = new Map<number, ClockRange[]>();
  for (const [before, after] of writes) {
    const from = Y.decodeSnapshot(before).sv;
    for (const [client, to] of Y.decodeSnapshot(after).sv) {
      const start = from.get(client) ?? 0;
      if (start < to) ranges.set(client, [...(ranges.get(client) ?? []), [start, to]]);
    }
  }
  for (const own of ranges.values()) own.sort(([a], [b]) => a - b);
  return ranges;
}

/**
 * Returns the edits that lead from a version back to an earlier one, and their result; null when the document cannot
 * locate the texts. The document tells exactly which letters were inserted and deleted, where a comparison of the texts
 * may take equal letters of other writes for them.
 *
 * @param own what the reverted writes inserted: where a later one of them deleted it from the body, it is not restored,
 *   except for a blank without which two words would become one.
 */
export function changesBack(
  doc: Y.Doc,
  version: BaseVersion,
  earlier: BaseVersion,
  own: InsertedRanges,
): { readonly text: string; readonly edits: readonly Edit[] } | null {
  const { bodyStart } = findFrontmatter(earlier.text);
  const edits: { at: number; remove: number; insert: string }[] = [];
  let edit: (typeof edits)[number] | null = null;
  let [at, earlierAt, blank] = [0, 0, ''];
  let last: Stretch | null = null;
  for (const stretch of stretchesOf(doc, version, earlier, own)) {
    const { length, isNow, wasThen, isOwn } = stretch;
    const text = wasThen ? earlier.text.slice(earlierAt, earlierAt + length) : '';
    // Properties are merged by their values, not by letters.
    const kept = isNow ? '' : text.slice(0, isOwn ? Math.max(0, bodyStart - earlierAt) : length);
    if (isNow !== wasThen && edit === null) {
      edit = { at, remove: 0, insert: '' };
      edits.push(edit);
    }
    if (isNow === wasThen ? isNow : kept !== '') {
      if (edit !== null && blank !== '' && !continues(last, stretch)) {
        const before = edit.insert.at(-1) ?? version.text.charAt(edit.at - 1);
        if (joinsWords(before.charCodeAt(0)) && joinsWords(text.charCodeAt(0))) edit.insert += blank;
      }
      [last, blank] = [stretch, ''];
    }
    if (isNow && wasThen) edit = null;
    else if (edit !== null) {
      edit.insert += kept;
      if (isNow) edit.remove += length;
      else blank ||= /\s/.exec(text.slice(kept.length))?.[0] ?? '';
    }
    if (isNow) at += length;
    if (wasThen) earlierAt += length;
  }
  if (at !== version.text.length || earlierAt !== earlier.text.length) return null;
  const changes = edits.filter(({ remove, insert }) => remove > 0 || insert !== '');
  return { text: applyEdits(version.text, changes), edits: changes };
}

/** Letters of one item that the texts of both versions have or lack as a whole. */
interface Stretch {
  readonly id: Y.ID;
  readonly length: number;
  /** The letter behind which they were inserted. */
  readonly origin: Y.ID | null;
  readonly isNow: boolean;
  readonly wasThen: boolean;
  readonly isOwn: boolean;
}

function* stretchesOf(doc: Y.Doc, version: BaseVersion, earlier: BaseVersion, own: InsertedRanges): Generator<Stretch> {
  const [now, then] = [Y.decodeSnapshot(version.snapshot), Y.decodeSnapshot(earlier.snapshot)];
  for (let item = doc.getText('content')._start; item !== null; item = item.right) {
    if (!item.deleted && !item.countable) continue;
    const { client, clock } = item.id;
    const shown = [now, then].map((snapshot) => shownIn(snapshot, client, clock, item.length));
    const ranges = [...shown, within(own.get(client) ?? [], clock, clock + item.length)];
    for (const { from, length, inside } of cut(ranges)) {
      const [isNow = false, wasThen = false, isOwn = false] = inside;
      const origin = from === clock ? item.origin : Y.createID(client, from - 1);
      yield { id: Y.createID(client, from), length, origin, isNow, wasThen, isOwn };
    }
  }
}

/** Returns whether a stretch was inserted right behind another one, so that their letters can be of one word. */
function continues(last: Stretch | null, { origin }: Stretch): boolean {
  if (last === null) return false;
  return Y.compareIDs(origin, Y.createID(last.id.client, last.id.clock + last.length - 1));
}

function within(ranges: readonly ClockRange[], from: number, to: number): ClockRange[] {
  return ranges.flatMap(([start, end]) => {
    const clipped = [Math.max(start, from), Math.min(end, to)] as const;
    return clipped[0] < clipped[1] ? [clipped] : [];
  });
}

/** Cuts sorted lists of ranges into stretches that lie wholly inside or outside each list. */
function* cut(lists: readonly (readonly ClockRange[])[]) {
  const points = [...new Set(lists.flat(2))].sort((a, b) => a - b);
  const next = lists.map(() => 0);
  for (const [index, from] of points.slice(0, -1).entries()) {
    const inside = lists.map((ranges, list) => {
      while ((ranges[next[list] ?? 0]?.[1] ?? Number.POSITIVE_INFINITY) <= from) next[list] = (next[list] ?? 0) + 1;
      return (ranges[next[list] ?? 0]?.[0] ?? Number.POSITIVE_INFINITY) <= from;
    });
    yield { from, length: (points[index + 1] ?? from) - from, inside };
  }
}
