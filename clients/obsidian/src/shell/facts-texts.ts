import type { UnsyncedFile } from '@notevault/sync/engine/ports.ts';
import type { BrakeReason } from '@notevault/sync/plan/brake.ts';
import { REASONS, readReason } from '@notevault/sync/rules/reasons.ts';
import type { SyncStatus } from '@notevault/sync/run/sync-status.ts';
import { reasonText, type TextKey, text, timeText } from '../texts/texts.ts';
import type { Facts } from './sync-controller.ts';

const STATES: Readonly<Record<SyncStatus['state'], TextKey>> = {
  'in step': 'stateInStep',
  syncing: 'stateSyncing',
  unsettled: 'stateSyncing',
  unfinished: 'stateSyncing',
  offline: 'stateOffline',
  paused: 'statePaused',
  waiting: 'stateWaiting',
  stopped: 'stateStopped',
  ended: 'stateStopped',
};

/** Returns a short text for the sync state. */
export function stateText({ phase, status }: Facts): string {
  switch (phase) {
    case 'not connected':
      return text('notConnected');
    case 'other vault':
      return text('otherVault');
    case 'signed out':
      return text('signedOut');
    case 'asks':
      return text('stateAsks');
    case 'stopped':
      return status.message === null ? text('stateStopped') : `${text('stateStopped')}: ${reasonText(status.message)}`;
    case 'runs':
      return text(STATES[status.state]);
  }
}

/** Returns the five facts, each a line. */
export function factTexts({ status, needs }: Facts): string[] {
  const { serverReachedAt, waitingUp, waitingDown, oldestUnsent } = status;
  return [
    text('factServer', { when: serverReachedAt === null ? text('never') : timeText(serverReachedAt) }),
    text('factUp', { count: waitingUp }),
    text('factDown', { count: waitingDown }),
    oldestUnsent === null
      ? text('factNoOldest')
      : text('factOldest', { path: oldestUnsent.path, when: timeText(oldestUnsent.since) }),
    text('factNeeds', { count: needs }),
  ];
}

/** Returns a line for each thing that needs a person. */
export function needTexts({ status }: Facts): string[] {
  return [
    ...status.brakes.map(brakeText),
    ...status.conflicts.map((path) => text('needsConflict', { path })),
    ...status.unsynced.map(({ path, reason }) => `${path} ${reasonText(reason)}`),
  ];
}

/** Returns why sync has ended by itself; null if it has not. */
export function endText({ phase, status }: Facts): string | null {
  const isOver = status.state === 'stopped' || status.state === 'ended';
  return phase === 'stopped' && isOver ? `Notevault: ${stateText({ phase, status, needs: 0 })}` : null;
}

/** Returns a warning that the server's quota is exhausted, with the number of files; null if it is not. */
export function quotaText({ status }: Facts): string | null {
  const isFull = ({ reason }: UnsyncedFile) => {
    const said = readReason(reason, REASONS);
    return said?.code === 'quota' && said.values.reason?.endsWith('_exceeded') === true;
  };
  const count = status.unsynced.filter(isFull).length;
  return count === 0 ? null : text('quotaFull', { count });
}

/** Describes the deletions or changes that the brake stopped. */
function brakeText({ side, kind, files, of }: BrakeReason): string {
  if (kind === 'everything changed') return text('brakeChanged', { files, of });
  return text(side === 'local' ? 'brakeDeletedLocal' : 'brakeDeletedRemote', { files, of });
}
