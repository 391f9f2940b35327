import type { SyncResult } from '@notevault/sync/engine/engine.ts';
import { ServerUnreachable, VaultGone } from '@notevault/sync/engine/ports.ts';
import type { BrakeReason } from '@notevault/sync/plan/brake.ts';
import type { Control } from '../state/control.ts';
import { FolderEnded } from '../state/folder-ended.ts';
import { NO_STATUS, offlineStatus, readStatus, statusOf, writeStatus } from '../state/sync-status.ts';
import type { FolderSync } from './folder-sync.ts';

/** Exit codes of commands that sync. */
export const EXIT = { inStep: 0, fault: 1, waiting: 2 } as const;

export function exitCodeOf(kind: SyncResult['kind']): number {
  if (kind === 'in step') return EXIT.inStep;
  return kind === 'waiting' ? EXIT.waiting : EXIT.fault;
}

/**
 * Syncs once, and stores what was found for `notevault sync status`, also when the server cannot be reached. Throws
 * FolderEnded.
 */
export async function runOnce(
  sync: FolderSync,
  { isApproved, signal }: { isApproved?: (brakes: readonly BrakeReason[]) => boolean; signal?: AbortSignal } = {},
): Promise<SyncResult> {
  const before = async () => (await readStatus(sync.place)) ?? NO_STATUS;
  try {
    const result = await sync.engine.sync({ ...(isApproved && { isApproved }), signal });
    await writeStatus(sync.place, statusOf(result, sync.conflicts(), await before(), Date.now()));
    return result;
  } catch (error) {
    if (error instanceof ServerUnreachable) {
      const pending = await sync.engine.pending();
      await writeStatus(sync.place, offlineStatus(pending, error.message, await before(), Date.now()));
    }
    if (error instanceof VaultGone) {
      await writeStatus(sync.place, { ...(await before()), state: 'ended', at: Date.now(), message: error.message });
      throw new FolderEnded(sync.root, error.message);
    }
    throw error;
  }
}

/** Whether what is stopped now is no more than what the user was shown. */
export function isWithin(shown: readonly BrakeReason[]): (brakes: readonly BrakeReason[]) => boolean {
  return (brakes) =>
    brakes.every(({ side, kind, files }) =>
      shown.some((one) => one.side === side && one.kind === kind && files <= one.files),
    );
}

/** Carries out a decision of the user, and syncs. */
export async function runControl(sync: FolderSync, control: Control, signal?: AbortSignal): Promise<SyncResult> {
  const shown = (await readStatus(sync.place))?.brakes ?? [];
  const options = signal === undefined ? {} : { signal };
  switch (control) {
    case 'approve':
      return runOnce(sync, { ...options, isApproved: isWithin(shown) });
    case 'put-back':
      await sync.engine.putBack();
      return runOnce(sync, { ...options, isApproved: (brakes) => brakes.every(({ kind }) => kind !== 'deletions') });
    case 'check':
      await sync.engine.checkAll();
      return runOnce(sync, options);
    case 'follow-server':
      await sync.engine.followServer();
      return runOnce(sync, { ...options, isApproved: () => true });
    case 'make-authoritative':
      await sync.engine.makeAuthoritative();
      return runOnce(sync, { ...options, isApproved: () => true });
    case 'pause':
    case 'resume':
      return runOnce(sync, options);
  }
}
