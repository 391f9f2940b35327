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

/** Texts read for the differences of one request, in UTF-16 units: comparing more would hold up other accounts. */
const READ_MAX = 4 * 1024 * 1024;

/** Limits of what is shown of an item. */
export interface DifferenceLimits {
  readonly changes: number;
  /** UTF-16 units of differences. */
  readonly length: number;
}

/** Counts the texts that one request reads for its differences. */
export class ReadBudget {
  #left = READ_MAX;

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  spend(units: number): void {
    this.#left -= units;
  }
}

/** Returns changes with the differences of texts, as far as these fit. */
export async function shownChanges(
  { notes }: Pick<ActivityDeps, 'notes'>,
  vault: OpenVault,
  changes: readonly JoinedChange[],
  { changes: most, length }: DifferenceLimits,
  budget: ReadBudget,
): Promise<ShownChange[]> {
  let left = length;
  const shown: ShownChange[] = [];
  for (const { shared: _, versions, ...change } of changes.slice(0, most)) {
    const own = { ...change, ...(versions === null ? {} : { versions }) };
    const compared =
      left > 0 && !budget.isSpent && versions !== null && (change.op === 'create' || change.op === 'edit');
    const texts = compared ? await textsOf(notes, vault, change.id as NoteId, versions, budget) : null;
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
  budget: ReadBudget,
): Promise<[string, string] | null> {
  const [earlier, later] = await Promise.all([
    before === null ? '' : notes.textOfVersion(vault, id, before),
    notes.textOfVersion(vault, id, after),
  ]);
  budget.spend((earlier?.length ?? 0) + (later?.length ?? 0));
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
