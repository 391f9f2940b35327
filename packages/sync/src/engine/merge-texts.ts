import { applyEdits, minimalDiff } from '@notevault/note-text/diff/diff.ts';
import type { Insertion, Run } from '@notevault/note-text/diff/runs.ts';
import { clientEdits } from '@notevault/note-text/diff/three-way.ts';

/**
 * Merges two texts derived from one base that the server no longer has. A change made on both sides is applied once;
 * where the sides differ, the insertions of both are kept.
 */
export function mergeTexts(base: string, mine: string, theirs: string): string {
  const runs: Run[] = [];
  const insertions: Insertion[] = [];
  let [baseStart, nowStart] = [0, 0];
  const push = (length: number, alive: boolean) => {
    if (length > 0) runs.push({ baseStart, length, nowStart, alive });
    baseStart += length;
    if (alive) nowStart += length;
  };
  for (const { at, remove, insert } of minimalDiff(base, theirs)) {
    push(at - baseStart, true);
    push(remove, false);
    if (insert !== '') insertions.push({ from: nowStart, to: nowStart + insert.length, write: 'theirs' });
    nowStart += insert.length;
  }
  push(base.length - baseStart, true);
  return applyEdits(theirs, clientEdits({ base, stored: theirs, client: mine, runs, insertions }));
}
