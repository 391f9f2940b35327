import { GB } from '@notevault/protocol/values/byte-units.ts';
import type { Plan } from '../../../foundation/plans/plans.ts';
import type { OpenVault, TrashContents } from '../../vaults/vaults.ts';
import type { EntryDeps } from '../entries.deps.ts';
import type { StoredEntry } from '../entries.store.ts';
import type { ItemKind } from '../entries.tables.ts';

/** Limits of a vault's trash; beyond them the oldest deletions are purged. */
export interface TrashLimits {
  readonly notes: number;
  readonly textBytes: number;
  attachmentBytes(plan: Plan): number;
}

export const TRASH_LIMITS: TrashLimits = {
  notes: 10_000,
  textBytes: GB,
  attachmentBytes: (plan) => plan.attachment_bytes_cap ?? 10 * GB,
};

type SizedEntry = Pick<StoredEntry, 'kind' | 'size_bytes'>;

/** Returns the count and bytes of some entries in the trash. */
export function contentsOf(rows: readonly SizedEntry[]): TrashContents {
  const notes = rows.filter(({ kind }) => kind === 'note');
  const files = rows.filter(({ kind }) => kind === 'attachment');
  return { notes: notes.length, textBytes: bytesOf(notes), attachmentBytes: bytesOf(files) };
}

function bytesOf(rows: readonly SizedEntry[]): number {
  return rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
}

/** Returns the change of counts that takes these contents out. */
export function removed({ notes, textBytes, attachmentBytes }: TrashContents): TrashContents {
  return { notes: -notes, textBytes: -textBytes, attachmentBytes: -attachmentBytes };
}

export function limitsOf(
  { trashLimits }: Pick<EntryDeps, 'trashLimits'>,
  { plan }: Pick<OpenVault, 'plan'>,
): TrashContents {
  return { ...trashLimits, attachmentBytes: trashLimits.attachmentBytes(plan) };
}

export interface Excess {
  readonly kind: ItemKind;
  readonly entries: number;
  readonly bytes: number;
}

/** Returns by how much the trash exceeds its limits, by kind. */
export function excessOf(has: TrashContents, limits: TrashContents): Excess[] {
  const notes = { kind: 'note' as const, entries: has.notes - limits.notes, bytes: has.textBytes - limits.textBytes };
  const files = { kind: 'attachment' as const, entries: 0, bytes: has.attachmentBytes - limits.attachmentBytes };
  return [notes, files].filter(({ entries, bytes }) => entries > 0 || bytes > 0);
}
