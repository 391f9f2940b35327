import { groupBy } from '@notevault/note-text/group-by.ts';
import { conflictOf } from '@notevault/sync/plan/names.ts';
import type { SyncStatus } from '@notevault/sync/run/sync-status.ts';
import { processEnvironment } from '../../environment.ts';
import { CliError } from '../../error-messages.ts';
import { print, printJson } from '../../print.ts';
import { findFolder, requireFolder } from '../state/find-folder.ts';
import { FolderBusy, lockState } from '../state/folder-lock.ts';
import { type FolderRecord, FolderRegistry } from '../state/folder-registry.ts';
import { readStatus } from '../state/status-file.ts';
import { brakeAnswers, deniedIn, describeBrake, describeDenied } from './describe.ts';
import { EXIT } from './run-once.ts';

/** Runs `notevault sync status`: prints the status of one folder or all, and sets the worst exit code. */
export async function status(dir: string | undefined, isJson: boolean): Promise<void> {
  const { stateFolder } = processEnvironment();
  const registry = new FolderRegistry(stateFolder);
  const records = dir === undefined ? await registry.all() : [await recordOf(registry, dir, stateFolder)];
  const present = records.filter(({ root }) => root !== '');
  if (present.length === 0) throw new CliError('No folder is synced on this machine yet: run "notevault sync FOLDER".');
  let worst: number = EXIT.inStep;
  for (const record of present) {
    const place = registry.stateOf(record);
    const found = await readStatus(place);
    const isRunning = found !== null && isBusy(place, record.root);
    const code = showStatus(record, found && (isRunning ? found : endedOf(found)), isJson);
    worst = worst === EXIT.fault || code === EXIT.fault ? EXIT.fault : Math.max(worst, code);
  }
  process.exitCode = worst;
}

async function recordOf(registry: FolderRegistry, dir: string, stateFolder: string): Promise<FolderRecord> {
  const found = await findFolder(registry, await requireFolder(dir, stateFolder));
  if (found.kind !== 'known') throw new CliError(`${dir} is not synced yet: run "notevault sync ${dir}".`);
  return found.record;
}

/** Returns the status of a folder that no process syncs: an unfinished run was killed. */
function endedOf(found: SyncStatus): SyncStatus {
  return { ...found, watching: null, state: found.state === 'syncing' ? 'unfinished' : found.state };
}

function isBusy(place: string, root: string): boolean {
  try {
    lockState(place, root)[Symbol.dispose]();
    return false;
  } catch (error) {
    if (error instanceof FolderBusy) return true;
    throw error;
  }
}

/** Prints the status of a folder and returns its exit code. */
export function showStatus(record: FolderRecord, found: SyncStatus | null, isJson: boolean): number {
  const code = codeOf(found);
  if (isJson) {
    const { root, url, vaultId, vaultName } = record;
    printJson({ event: 'status', folder: root, url, vault_id: vaultId, vault: vaultName, ...found });
    return code;
  }
  print(record.root);
  print(`  vault           ${record.vaultName} on ${record.url}`);
  if (found === null) print('  state           first sync not finished');
  else for (const [name, value] of linesOf(found)) print(`  ${name.padEnd(14)}  ${value}`);
  for (const { path, reason } of found?.unsynced ?? []) print(`                  ${path} ${reason}`);
  for (const brake of found?.brakes ?? []) print(describeBrake(brake));
  if ((found?.brakes.length ?? 0) > 0) for (const line of brakeAnswers(record.root)) print(line);
  return code;
}

function linesOf(found: SyncStatus): [string, string][] {
  const {
    state,
    isReadOnly,
    at,
    serverReachedAt,
    waitingUp,
    waitingDown,
    oldestUnsent,
    conflicts,
    unsynced,
    watching,
    message,
  } = found;
  return [
    ['state', `${STATES[state]}${describeDenied(unsynced)}${message === null ? '' : ` (${message})`}, ${ago(at)}`],
    ['access', isReadOnly ? 'read-only: changes in this folder stay here' : 'read and write'],
    ['running', runningOf(state, watching)],
    ['server reached', serverReachedAt === null ? 'never' : ago(serverReachedAt)],
    ['waiting up', `${waitingUp}`],
    ['waiting down', `${waitingDown}`],
    ['oldest unsent', oldestUnsent === null ? 'none' : `${oldestUnsent.path}, ${ago(oldestUnsent.since)}`],
    ['conflicts', conflicts.length === 0 ? 'none' : `${conflicts.length}:`],
    ...[...groupBy(conflicts, conflictOf)].map(([of, copies]): [string, string] => ['', `${of}: ${copies.join(', ')}`]),
    ['not synced', unsynced.length === 0 ? 'none' : `${unsynced.length}:`],
  ];
}

function runningOf(state: SyncStatus['state'], watching: string | null): string {
  if (watching !== null) return `yes, the folder is ${watching}`;
  return state === 'syncing' ? 'yes, until both sides are in sync' : 'no: run "notevault sync" to sync';
}

const STATES: Readonly<Record<SyncStatus['state'], string>> = {
  'in step': 'in sync',
  waiting: 'waiting for your confirmation',
  unsettled: 'some files are being written',
  unfinished: 'not in sync yet',
  syncing: 'syncing',
  offline: 'offline',
  stopped: 'stopped',
  ended: 'no longer synced',
  paused: 'paused',
};

function codeOf(found: SyncStatus | null): number {
  if (found === null) return EXIT.fault;
  if (found.state === 'waiting' || found.state === 'paused') return EXIT.waiting;
  const isWell = found.state === 'in step' || found.state === 'syncing';
  return isWell && deniedIn(found.unsynced).length === 0 ? EXIT.inStep : EXIT.fault;
}

function ago(at: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - at) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86_400)} days ago`;
}
