import type { SyncEngine, SyncOptions, SyncResult } from '../engine/engine.ts';
import { ServerUnreachable, VaultGone } from '../engine/ports.ts';
import { Approval } from '../plan/approval.ts';
import type { BrakeReason } from '../plan/brake.ts';
import { NO_STATUS, offlineStatus, type StatusStore, statusOf } from './sync-status.ts';

/** Commands that a person can give to the engine of a folder. */
export const CONTROLS = [
  'approve',
  'put-back',
  'check',
  'pause',
  'resume',
  'follow-server',
  'make-authoritative',
] as const;
export type Control = (typeof CONTROLS)[number];

/** A folder that is open for syncing. */
export interface SyncedFolder {
  readonly engine: SyncEngine;
  readonly status: StatusStore;
  /** Returns the conflict copies that the folder had when it was last listed. */
  conflicts(): readonly string[];
}

/** Syncs once, and stores what was found, also when the server cannot be reached. Throws VaultGone. */
export async function runOnce(sync: SyncedFolder, options: SyncOptions = {}): Promise<SyncResult> {
  const before = async () => (await sync.status.read()) ?? NO_STATUS;
  try {
    const result = await sync.engine.sync(options);
    await sync.status.write(statusOf(result, sync.conflicts(), await before(), Date.now()));
    return result;
  } catch (error) {
    if (error instanceof ServerUnreachable) {
      const pending = await sync.engine.pending();
      await sync.status.write(offlineStatus(pending, error.message, await before(), Date.now()));
    }
    if (error instanceof VaultGone)
      await sync.status.write({ ...(await before()), state: 'ended', at: Date.now(), message: error.message });
    throw error;
  }
}

/** Returns whether what is stopped now is no more than what the user was shown. */
function isWithin(shown: readonly BrakeReason[]): (brakes: readonly BrakeReason[]) => boolean {
  return (brakes) =>
    brakes.every(({ side, kind, files }) =>
      shown.some((one) => one.side === side && one.kind === kind && files <= one.files),
    );
}

/** Carries out a decision of the user, and syncs. */
export async function runControl(sync: SyncedFolder, control: Control, signal?: AbortSignal): Promise<SyncResult> {
  const shown = (await sync.status.read())?.brakes ?? [];
  const options = { signal };
  switch (control) {
    case 'approve':
      return runOnce(sync, { ...options, approval: new Approval(isWithin(shown)) });
    case 'put-back':
      await sync.engine.putBack();
      return runOnce(sync, {
        ...options,
        approval: new Approval((brakes) => brakes.every(({ kind }) => kind !== 'deletions')),
      });
    case 'check':
      await sync.engine.checkAll();
      return runOnce(sync, options);
    case 'follow-server':
      await sync.engine.followServer();
      return runOnce(sync, { ...options, approval: new Approval() });
    case 'make-authoritative':
      await sync.engine.makeAuthoritative();
      return runOnce(sync, { ...options, approval: new Approval() });
    case 'pause':
    case 'resume':
      return runOnce(sync, options);
  }
}
