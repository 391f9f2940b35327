import type { SyncResult } from '@notevault/sync/engine/engine.ts';
import { VaultGone } from '@notevault/sync/engine/ports.ts';
import { type Control, runControl as runControlOf, runOnce as runOnceOf } from '@notevault/sync/run/run-once.ts';
import { FolderEnded } from '../state/folder-ended.ts';
import { deniedIn } from './describe.ts';
import type { FolderSync } from './folder-sync.ts';

/** Exit codes of commands that sync. */
export const EXIT = { inStep: 0, fault: 1, waiting: 2 } as const;

/** Returns the exit code of a run. Files without permission count as an error, because a person must fix them. */
export function exitCodeOf({ kind, unsynced }: Pick<SyncResult, 'kind' | 'unsynced'>): number {
  if (kind === 'waiting') return EXIT.waiting;
  return kind === 'in step' && deniedIn(unsynced).length === 0 ? EXIT.inStep : EXIT.fault;
}

/** Syncs once. Throws FolderEnded. */
export function runOnce(sync: FolderSync, options: Parameters<typeof runOnceOf>[1] = {}): Promise<SyncResult> {
  return unlessEnded(sync.root, runOnceOf(sync, options));
}

/** Carries out a decision of the user, and syncs. Throws FolderEnded. */
export function runControl(sync: FolderSync, control: Control, signal?: AbortSignal): Promise<SyncResult> {
  return unlessEnded(sync.root, runControlOf(sync, control, signal));
}

/** Rejects with FolderEnded when the vault is gone. */
export function unlessEnded<Result>(root: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw error instanceof VaultGone ? new FolderEnded(root, error.message) : error;
  });
}
