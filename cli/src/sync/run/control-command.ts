import { FolderGone } from '@notevault/sync/engine/ports.ts';
import type { Control } from '@notevault/sync/run/run-once.ts';
import { NO_STATUS } from '@notevault/sync/run/sync-status.ts';
import { processEnvironment } from '../../environment.ts';
import { CliError } from '../../error-messages.ts';
import { ask } from '../account/ask.ts';
import { requestControl } from '../state/control.ts';
import { requireFolder } from '../state/find-folder.ts';
import { FolderBusy } from '../state/folder-lock.ts';
import { readMarker } from '../state/folder-marker.ts';
import { FolderRegistry } from '../state/folder-registry.ts';
import { readStatus, writeStatus } from '../state/status-file.ts';
import { openFolderSync } from './folder-sync.ts';
import { prepareFolder, registerFolder } from './prepare.ts';
import { jsonReporter, PersonReporter } from './reporter.ts';
import { EXIT, exitCodeOf, runControl } from './run-once.ts';
import { showStatus } from './status-command.ts';
import { type SyncFlags, stopSignal } from './sync-command.ts';

const CONSEQUENCES: Partial<Record<Control, string>> = {
  'follow-server': 'Files that only this folder has, or that differ from the vault, go to the trash of this machine.',
  'make-authoritative':
    'Files that only the vault has, or that differ from this folder, are deleted or replaced in the vault.',
};

/**
 * Runs a control command on a folder, in this process or in the one that already syncs the folder. Sets the exit code.
 */
export async function control(dir: string, decision: Control, flags: SyncFlags): Promise<void> {
  const consequence = CONSEQUENCES[decision];
  if (
    consequence !== undefined &&
    flags.yes !== true &&
    (await ask(consequence, ['continue', 'cancel'], '--yes')) === 1
  )
    return;
  if (decision === 'follow-server') await forgetEmptied(dir);
  const prepared = await prepareFolder(dir, flags);
  const { place, vault, isNew } = prepared;
  const isPaused = decision === 'pause' || (decision !== 'resume' && prepared.record.isPaused);
  const record = { ...prepared.record, isPaused };
  if (isNew && decision !== 'follow-server' && decision !== 'make-authoritative')
    throw new CliError(`${record.root} is not synced yet: run "notevault sync" first.`);
  const reporter = flags.json ? jsonReporter(record.root) : new PersonReporter(record.root, false);
  try {
    const locked = () => registerFolder({ ...prepared, record });
    await using folder = await openFolderSync({ record, place, vault, direction: 'both', reporter, isNew, locked });
    if (decision === 'pause' || decision === 'resume') {
      const before = (await readStatus(place)) ?? NO_STATUS;
      if (decision === 'pause') await writeStatus(place, { ...before, state: 'paused', at: Date.now() });
      process.stdout.write(decision === 'pause' ? 'Paused.\n' : 'Resumed. Run "notevault sync" to continue syncing.\n');
      return;
    }
    const result = await runControl(folder, decision, stopSignal());
    reporter.result(result);
    process.exitCode = exitCodeOf(result);
  } catch (error) {
    if (!(error instanceof FolderBusy)) throw error;
    const status = await requestControl(place, decision);
    const code = showStatus(record, status, flags.json === true);
    // Pausing itself succeeded, whatever the folder's status is.
    process.exitCode = decision === 'pause' ? EXIT.inStep : code;
  }
}

/** Forgets the state of a folder that lost its marker, so that it is synced with the same vault like a new folder. */
async function forgetEmptied(dir: string): Promise<void> {
  const { stateFolder } = processEnvironment();
  const root = await requireFolder(dir, stateFolder);
  const registry = new FolderRegistry(stateFolder);
  const record = (await registry.all()).find((one) => one.root === root);
  if (record === undefined) return;
  const marker = await readMarker(root).catch((error: unknown) => {
    if (error instanceof FolderGone) return null;
    throw error;
  });
  if (marker === null) await registry.save({ ...record, root: '' });
}
