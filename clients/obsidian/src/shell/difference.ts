import { minimalDiff } from '@notevault/note-text/diff/diff.ts';
import type { DifferencePiece } from '@notevault/protocol/activity.ts';
import { text } from '../texts/texts.ts';

/** Maximum unchanged characters shown beside a difference. */
const CONTEXT = 80;

/** Shows what makes one text the other. */
export function showDifference(parent: HTMLElement, before: string, after: string): void {
  parent.empty();
  const box = parent.createEl('pre', { cls: 'notevault-difference' });
  const edits = minimalDiff(before, after);
  if (edits.length === 0) box.createSpan({ text: text('noDifference') });
  let at = 0;
  for (const [index, edit] of edits.entries()) {
    box.createSpan({ text: shortened(before.slice(at, edit.at), index > 0, true) });
    const removed = before.slice(edit.at, edit.at + edit.remove);
    if (removed !== '') box.createEl('del', { text: removed });
    if (edit.insert !== '') box.createEl('ins', { text: edit.insert });
    at = edit.at + edit.remove;
  }
  if (edits.length > 0) box.createSpan({ text: shortened(before.slice(at), true, false) });
}

/** Shows a difference that the server has computed. */
export function showPieces(parent: HTMLElement, pieces: readonly DifferencePiece[]): void {
  const box = parent.createEl('pre', { cls: 'notevault-difference' });
  const tags = { same: 'span', added: 'ins', removed: 'del' } as const;
  for (const { kind, text: piece } of pieces) box.createEl(tags[kind], { text: piece });
}

function shortened(same: string, isAfter: boolean, isBefore: boolean): string {
  const most = CONTEXT * (Number(isAfter) + Number(isBefore));
  if (same.length <= most) return same;
  return `${isAfter ? same.slice(0, CONTEXT) : ''} … ${isBefore ? same.slice(-CONTEXT) : ''}`;
}
