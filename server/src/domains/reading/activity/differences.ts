import { differenceOf, shortened } from '@notevault/note-text/diff/difference.ts';
import type { DifferencePiece, ActivityChange as ShownChange } from '@notevault/protocol/activity.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { OpenVault } from '../../content/vaults/vaults.ts';
import type { ActivityDeps } from './activity.ts';
import type { JoinedChange } from './activity-items.ts';

/** A longer text is not compared, in UTF-16 units. */
const COMPARED_MAX = 256 * 1024;
/** UTF-16 units of unchanged text beside a difference. */
const AROUND = 60;

/** How much is shown of an item. */
export interface DifferenceLimits {
  readonly changes: number;
  /** UTF-16 units of differences. */
  readonly length: number;
}

/** Returns changes with the differences of texts, as far as these fit. */
export async function shownChanges(
  { notes }: Pick<ActivityDeps, 'notes'>,
  vault: OpenVault,
  changes: readonly JoinedChange[],
  { changes: most, length }: DifferenceLimits,
): Promise<ShownChange[]> {
  let left = length;
  const shown: ShownChange[] = [];
  for (const { shared: _, versions, ...change } of changes.slice(0, most)) {
    const own = { ...change, ...(versions === null ? {} : { versions }) };
    const compared = left > 0 && versions !== null && (change.op === 'create' || change.op === 'edit');
    const texts = compared ? await textsOf(notes, vault, change.id as NoteId, versions) : null;
    const difference = texts === null ? null : cutTo(differenceBetween(...texts), left);
    if (difference !== null) left -= difference.reduce((sum, { text }) => sum + text.length, 0);
    shown.push(difference === null ? own : { ...own, difference });
  }
  return shown;
}

async function textsOf(
  notes: ActivityDeps['notes'],
  vault: OpenVault,
  id: NoteId,
  { before, after }: NonNullable<JoinedChange['versions']>,
): Promise<[string, string] | null> {
  const [earlier, later] = await Promise.all([
    before === null ? '' : notes.textOfVersion(vault, id, before),
    notes.textOfVersion(vault, id, after),
  ]);
  if (earlier === null || later === null) return null;
  return Math.max(earlier.length, later.length) > COMPARED_MAX ? null : [earlier, later];
}

export function differenceBetween(before: string, after: string): DifferencePiece[] {
  return [...shortened(differenceOf(before, after), AROUND)];
}

function cutTo(pieces: readonly DifferencePiece[], length: number): DifferencePiece[] {
  const cut: DifferencePiece[] = [];
  let left = length;
  for (const { kind, text } of pieces) {
    if (left <= 0) break;
    cut.push({ kind, text: text.length > left ? `${text.slice(0, left).toWellFormed()}…` : text });
    left -= text.length;
  }
  return cut;
}
