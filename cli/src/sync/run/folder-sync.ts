import { hostname } from 'node:os';
import { join } from 'node:path';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import { VaultServer } from '@notevault/sync/adapters/vault-server.ts';
import { SyncEngine } from '@notevault/sync/engine/engine.ts';
import type { Clock } from '@notevault/sync/engine/ports.ts';
import { isConflictPath } from '@notevault/sync/plan/names.ts';
import type { Direction } from '@notevault/sync/plan/operations.ts';
import type { SyncedFolder } from '@notevault/sync/run/run-once.ts';
import { NodeDisk } from '../disk/node-disk.ts';
import { Trash } from '../disk/trash.ts';
import { lockRoot, lockState } from '../state/folder-lock.ts';
import { checkMarker } from '../state/folder-marker.ts';
import type { FolderRecord } from '../state/folder-registry.ts';
import { RunningStatus } from '../state/running-status.ts';
import { SqliteStore } from '../state/sqlite-store.ts';
import { nodeClock } from './node-clock.ts';
import { nodeHashing } from './node-hashing.ts';
import type { Reporter } from './reporter.ts';

export interface FolderSyncOptions {
  readonly record: FolderRecord;
  /** Folder that stores the sync state. */
  readonly place: string;
  readonly vault: VaultClient;
  readonly direction: Direction;
  readonly reporter: Reporter;
  /** Whether nothing may be written to the folder, not even its marker. */
  readonly isUnmarked?: boolean;
  /** Whether `locked` writes the folder's marker. */
  readonly isNew?: boolean;
  /** Called once the folder is locked, before it is read. */
  readonly locked?: () => Promise<void>;
  readonly clock?: Clock;
}

/** Open sync engine of one folder, with its disk and state. */
export interface FolderSync extends SyncedFolder, AsyncDisposable {
  readonly disk: NodeDisk;
  readonly place: string;
  readonly root: string;
}

/** Opens a folder for syncing. Throws FolderBusy and CliError while another process works on it, and FolderGone. */
export async function openFolderSync(options: FolderSyncOptions): Promise<FolderSync> {
  const { record, place, vault, direction, reporter } = options;
  const { root, settings } = record;
  await using opened = new AsyncDisposableStack();
  opened.use(lockState(place, root));
  const checkRoot = async () => (options.isUnmarked ? undefined : checkMarker(root, record));
  // Nothing may be written to the empty mount point of an unmounted disk.
  if (!options.isNew) await checkRoot();
  if (!options.isUnmarked) opened.use(lockRoot(root));
  await options.locked?.();
  const store = opened.use(SqliteStore.open(join(place, 'state.sqlite')));
  const trash = opened.use(await Trash.open(place));
  const disk = opened.use(
    await NodeDisk.open({ root, trash, settings, checkRoot, isReadOnly: options.isUnmarked === true }),
  );
  const clock = options.clock ?? nodeClock();
  const status = new RunningStatus(place, () => clock.ticks());
  const ports = {
    disk,
    server: new VaultServer(vault, trash.restored),
    store,
    clock,
    hashing: nodeHashing,
  };
  const engine = await SyncEngine.open(ports, {
    device: hostname(),
    direction,
    onPlan: (operations) => {
      status.planned(operations);
      reporter.planned(operations);
    },
    onOperation: (operation, outcome) => {
      status.done(operation);
      reporter.operation(operation, outcome);
    },
  });
  const closing = opened.move();
  return {
    engine,
    disk,
    place,
    root,
    status,
    conflicts: () => disk.listed.filter(isConflictPath),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
