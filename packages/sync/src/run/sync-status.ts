import type { SyncResult } from '../engine/engine.ts';
import type { UnsyncedFile } from '../engine/ports.ts';
import type { BrakeReason } from '../plan/brake.ts';
import { isWanted, type Operation } from '../plan/operations.ts';

/** Status of a folder after the engine's last run. */
export interface SyncStatus {
  /** `ended`: the vault was deleted or taken away, and the folder is not synced until somebody asks for that. */
  readonly state: SyncResult['kind'] | 'syncing' | 'offline' | 'stopped' | 'paused' | 'ended';
  /** Whether the folder only follows the vault, because its person may not write there. */
  readonly isReadOnly: boolean;
  /** Epoch milliseconds of this status, and of the last answer of the server. */
  readonly at: number;
  readonly serverReachedAt: number | null;
  readonly waitingUp: number;
  readonly waitingDown: number;
  /** The change of this folder that has waited longest, and since when. */
  readonly oldestUnsent: { readonly path: string; readonly since: number } | null;
  readonly conflicts: readonly string[];
  readonly unsynced: readonly UnsyncedFile[];
  readonly brakes: readonly BrakeReason[];
  /** Way in which folder changes are noticed; null while no process watches. */
  readonly watching: string | null;
  readonly message: string | null;
  /** The requests of other commands that have been carried out. */
  readonly answered: readonly string[];
}

export const NO_STATUS: SyncStatus = {
  state: 'syncing',
  isReadOnly: false,
  at: 0,
  serverReachedAt: null,
  waitingUp: 0,
  waitingDown: 0,
  oldestUnsent: null,
  conflicts: [],
  unsynced: [],
  brakes: [],
  watching: null,
  message: null,
  answered: [],
};

/** Store of a folder's status. */
export interface StatusStore {
  /** Null before the first run. */
  read(): Promise<SyncStatus | null>;
  write(status: SyncStatus): Promise<void>;
}

/** Counts the pending operations. @param before the previous status, which keeps the time of the oldest one */
function waitingOf(pending: readonly Operation[], before: SyncStatus, now: number) {
  const up = pending.filter((operation) => !isWanted(operation, 'pull'));
  const down = pending.filter((operation) => !isWanted(operation, 'push'));
  const waits = before.oldestUnsent !== null && up.some((operation) => pathOf(operation) === before.oldestUnsent?.path);
  const [first] = up;
  const fresh = first === undefined ? null : { path: pathOf(first), since: now };
  return {
    waitingUp: up.length,
    waitingDown: down.length,
    oldestUnsent: waits ? before.oldestUnsent : fresh,
  };
}

/** Returns the status while the server cannot be reached. @param pending what is still to do, as far as it is known */
export function offlineStatus(
  pending: readonly Operation[],
  message: string,
  before: SyncStatus,
  now: number,
): SyncStatus {
  return { ...before, ...waitingOf(pending, before, now), state: 'offline', at: now, message };
}

/** Returns the status after a run. */
export function statusOf(
  { kind, isReadOnly, pending, brakes, unsynced }: Omit<SyncResult, 'done' | 'retryAt'>,
  conflicts: readonly string[],
  before: SyncStatus,
  now: number,
): SyncStatus {
  return {
    ...before,
    ...waitingOf(pending, before, now),
    state: kind,
    isReadOnly,
    at: now,
    serverReachedAt: now,
    conflicts,
    unsynced,
    brakes,
    message: null,
  };
}

/** Returns the path on which an operation works. */
export function pathOf(operation: Operation): string {
  if ('path' in operation) return operation.path;
  if ('to' in operation) return operation.to;
  if ('moves' in operation) return operation.moves[0]?.to ?? '';
  return operation.type === 'adopt' ? operation.file.path : operation.id;
}
