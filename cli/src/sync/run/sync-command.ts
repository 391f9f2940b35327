import { ServerUnreachable } from '@notevault/sync/engine/ports.ts';
import { Approval } from '@notevault/sync/plan/approval.ts';
import type { Direction } from '@notevault/sync/plan/operations.ts';
import { retryDelay } from '@notevault/sync/watch/retry-delay.ts';
import { CliError, printError } from '../../error-messages.ts';
import { FolderEnded } from '../state/folder-ended.ts';
import { watchFolder } from '../watch/watch-folder.ts';
import { openFolderSync } from './folder-sync.ts';
import { nodeClock } from './node-clock.ts';
import { type PreparedFolder, type PrepareFlags, prepareFolder, registerFolder, temporaryPlace } from './prepare.ts';
import { jsonReporter, PersonReporter, type Reporter } from './reporter.ts';
import { EXIT, exitCodeOf, runOnce } from './run-once.ts';

export interface SyncFlags extends PrepareFlags {
  readonly once?: boolean;
  readonly watch?: boolean;
  readonly pull?: boolean;
  readonly push?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  /** launchd restarts a program after every exit code except 0. */
  readonly launchd?: boolean;
}

/** Runs `notevault sync`: syncs once, or until the process receives a signal. Sets the exit code. */
export async function sync(dir: string, flags: SyncFlags): Promise<void> {
  try {
    await syncFolder(dir, flags);
  } catch (error) {
    if (flags.launchd !== true || !(error instanceof FolderEnded)) throw error;
    printError(error);
  }
}

async function syncFolder(dir: string, flags: SyncFlags): Promise<void> {
  if (flags.pull && flags.push)
    throw new CliError('--pull and --push cannot be combined: omit both to sync in both directions.');
  if (flags.once && flags.watch) throw new CliError('--once and --watch cannot be combined.');
  const direction = flags.pull ? 'pull' : flags.push ? 'push' : 'both';
  const isWatching = flags.once !== true && flags.dryRun !== true;
  const signal = stopSignal();
  const prepared = isWatching ? await prepareToWatch(dir, flags, signal) : await prepareFolder(dir, flags);
  if (prepared === null) return;
  const { root } = prepared.record;
  const reporter = flags.json ? jsonReporter(root) : new PersonReporter(root, isWatching);
  if (flags.dryRun) return dryRun(prepared, direction, reporter);
  const { record, registry, place, access, vault, isNew } = prepared;
  const locked = () => registerFolder(prepared);
  await using folder = await openFolderSync({ record, place, vault, direction, reporter, isNew, locked });
  const approval = flags.yes === true ? new Approval() : undefined;
  if (isWatching) {
    if (!flags.json) reporter.note(`Syncing ${root} with the vault "${record.vaultName}". Ctrl-C stops.`);
    await watchFolder({ sync: folder, record, registry, access, reporter, approval, signal });
    return;
  }
  if (record.isPaused) {
    reporter.note('Syncing is paused: "notevault sync resume" continues.');
    process.exitCode = EXIT.waiting;
    return;
  }
  const result = await runOnce(folder, { approval, signal });
  reporter.result(result);
  process.exitCode = exitCodeOf(result);
}

/** Waits for the server if it must be asked for the vault. Resolves to null if the signal aborts first. */
async function prepareToWatch(dir: string, flags: SyncFlags, signal: AbortSignal): Promise<PreparedFolder | null> {
  const reporter = flags.json ? jsonReporter(dir) : new PersonReporter(dir, true);
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await prepareFolder(dir, flags);
    } catch (error) {
      if (!(error instanceof ServerUnreachable)) throw error;
      if (failures === 0) reporter.note(`Offline: ${error.message}. Syncing starts once the server can be reached.`);
      await nodeClock()
        .sleep(retryDelay(failures), signal)
        .catch(() => undefined);
    }
  }
  return null;
}

/** A folder that was never synced gets no marker and no state by this. */
async function dryRun(prepared: PreparedFolder, direction: Direction, reporter: Reporter): Promise<void> {
  const { record, vault, isNew } = prepared;
  await using temporary = await temporaryPlace();
  const place = isNew ? temporary.place : prepared.place;
  await using folder = await openFolderSync({ record, place, vault, direction, reporter, isUnmarked: isNew });
  const { operations } = await folder.engine.preview();
  reporter.preview(operations);
}

/** Aborts at the first SIGINT or SIGTERM; a second one ends the process at once. What was done is kept either way. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals) => {
    process.once(signal, () => process.kill(process.pid, 'SIGKILL'));
    controller.abort(new CliError('Stopped.'));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  return controller.signal;
}
