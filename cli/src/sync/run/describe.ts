import { counted } from '@notevault/protocol/values/counted.ts';
import type { SyncResult } from '@notevault/sync/engine/engine.ts';
import type { UnsyncedFile } from '@notevault/sync/engine/ports.ts';
import type { BrakeReason } from '@notevault/sync/plan/brake.ts';
import { type Operation, type RemoteMove, replacesEdit } from '@notevault/sync/plan/operations.ts';

/** Describes an operation with its direction; null if it changes neither side. */
export function describe(operation: Operation): { readonly direction: 'up' | 'down'; readonly text: string } | null {
  switch (operation.type) {
    case 'createRemote':
      return { direction: 'up', text: `new      ${operation.path}` };
    case 'pushContent':
      return { direction: 'up', text: `changed  ${operation.localPath}${besideOf(operation)}` };
    case 'moveRemote':
    case 'moveRemoteFolder':
      return { direction: 'up', text: `moved    ${operation.from} → ${operation.to}` };
    case 'moveRemoteMany':
      return { direction: 'up', text: `moved    ${exchangeOf(operation.moves)}` };
    case 'deleteRemote':
      return { direction: 'up', text: `deleted  ${operation.path}` };
    case 'makeRemoteFolder':
      return { direction: 'up', text: `new      ${operation.path}/` };
    case 'removeRemoteFolder':
      return { direction: 'up', text: `deleted  ${operation.path}/` };
    case 'writeLocal':
      return {
        direction: 'down',
        text: `${operation.over === null ? 'new    ' : 'changed'}  ${operation.path}${besideOf(operation)}`,
      };
    case 'mergeLocal':
      return { direction: 'down', text: `merged   ${operation.path}` };
    case 'moveLocal':
    case 'moveLocalFolder':
    case 'setAside':
      return { direction: 'down', text: `moved    ${operation.from} → ${operation.to}` };
    case 'moveLocalMany':
      return { direction: 'down', text: `moved    ${exchangeOf(operation.moves)}` };
    case 'deleteLocal':
      return { direction: 'down', text: `deleted  ${operation.path}` };
    case 'makeLocalFolder':
      return { direction: 'down', text: `new      ${operation.path}/` };
    case 'removeLocalFolder':
      return { direction: 'down', text: `deleted  ${operation.path}/` };
    default:
      return null;
  }
}

function exchangeOf(moves: readonly Pick<RemoteMove, 'from' | 'to'>[]): string {
  return moves.map(({ from, to }) => `${from} → ${to}`).join(', ');
}

function besideOf(operation: Operation): string {
  return replacesEdit(operation) ? ' (both sides changed it: the replaced version is in the trash)' : '';
}

/** Describes the deletions or overwrites that the brake stopped. */
export function describeBrake({ side, kind, files, of }: BrakeReason): string {
  if (kind === 'deletions') {
    return side === 'local'
      ? `${files} of ${of} files in this folder were deleted in the vault.`
      : `${files} of ${of} files in the vault were deleted in this folder.`;
  }
  return side === 'local'
    ? `${files} of ${of} files in this folder have different contents in the vault.`
    : `${files} of ${of} files in the vault have different contents in this folder.`;
}

/** Returns lines that explain how to confirm or reject a stopped change. */
export function brakeAnswers(root: string): string[] {
  return [
    'None of them was deleted or overwritten yet. Run one of:',
    `  notevault sync approve ${quoted(root)}    carry it out (the trash keeps a copy of each file for 30 days)`,
    `  notevault sync put-back ${quoted(root)}   reject it and restore the files`,
  ];
}

/** Quotes a path for a shell. */
export function quoted(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Returns the files and folders that this user may not read or change. */
export function deniedIn(unsynced: readonly UnsyncedFile[]): readonly UnsyncedFile[] {
  return unsynced.filter(({ isDenied }) => isDenied);
}

/** Describes how many files this user may not read or change; empty if none. */
export function describeDenied(unsynced: readonly UnsyncedFile[]): string {
  const count = deniedIn(unsynced).length;
  return count === 0 ? '' : `, except ${counted(count, 'file')} that this user may not read or change`;
}

/** Returns lines that tell what to do after a run that did not end in sync. */
export function describeEnd(kind: SyncResult['kind'], root: string): string[] {
  switch (kind) {
    case 'unsettled':
      return ['Some files are still being written: run it again once they are complete.'];
    case 'unfinished':
      return ['Files kept changing on both sides: run it again.'];
    case 'waiting':
      return brakeAnswers(root);
    case 'in step':
      return [];
  }
}
