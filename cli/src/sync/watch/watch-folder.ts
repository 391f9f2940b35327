import { watch } from 'node:fs';
import { VaultWatch } from '@notevault/client/signals/vault-watch.ts';
import { collectWhenIdle } from '@notevault/server/ports/gc/gc.ts';
import type { Clock } from '@notevault/sync/engine/ports.ts';
import type { Approval } from '@notevault/sync/plan/approval.ts';
import { type WatchEvent, WatchLoop } from '@notevault/sync/watch/watch-loop.ts';
import type { VaultAccess } from '../account/connect.ts';
import type { FolderSync } from '../run/folder-sync.ts';
import { nodeClock } from '../run/node-clock.ts';
import type { Reporter } from '../run/reporter.ts';
import { unlessEnded } from '../run/run-once.ts';
import { requestsFolder, takeRequests } from '../state/control.ts';
import type { FolderRecord, FolderRegistry } from '../state/folder-registry.ts';
import { FolderWatcher, type FolderWatcherOptions } from './folder-watcher.ts';

export interface WatchOptions {
  readonly sync: FolderSync;
  readonly record: FolderRecord;
  readonly registry: FolderRegistry;
  readonly access: VaultAccess;
  readonly reporter: Reporter;
  readonly approval?: Approval | undefined;
  readonly signal: AbortSignal;
  /** Function that watches files; chokidar's by default. */
  readonly watch?: FolderWatcherOptions['watch'];
  /** Interval at which an unwatchable folder is compared, in milliseconds. */
  readonly blindMs?: number;
  readonly clock?: Clock;
}

/** Keeps a folder in step until the signal aborts. Throws FolderGone, ServerStopped and FolderEnded. */
export async function watchFolder(options: WatchOptions): Promise<void> {
  const { sync, record, registry, access, reporter, approval, signal, blindMs, clock = nodeClock() } = options;
  await using opened = new AsyncDisposableStack();
  const folder = await requestsFolder(sync.place);
  const signals = opened.adopt(new VaultWatch(access.url, access.vaultId, access.tokens), (one) => one.close());
  const loop = new WatchLoop({
    ...{ sync, signals, clock, signal, approval, isPaused: record.isPaused },
    ...(blindMs !== undefined && { blindMs }),
    setPaused: (isPaused) => registry.save({ ...record, isPaused }),
    takeRequests: () => takeRequests(sync.place),
    listAll: () => sync.disk.changes.addAll(),
    tell: (event) => reporter.note(noteOf(event)),
    result: (result) => reporter.result(result),
    // Most of the time there is nothing to do, and what the last work has left is several times what is in use.
    rests: collectWhenIdle(),
  });
  const requests = watch(folder, () => loop.wake());
  opened.defer(() => requests.close());
  opened.use(watchDisk(options, loop));
  await unlessEnded(sync.root, loop.run());
}

function watchDisk({ sync, watch: begin }: WatchOptions, loop: WatchLoop): FolderWatcher {
  const watcher = new FolderWatcher({
    root: sync.root,
    ...(begin && { watch: begin }),
    isIgnored: (path, kind) => sync.disk.isIgnored(path, kind),
    changed: (path) => {
      sync.disk.changes.add(path);
      loop.changed();
    },
    failed: (reason) => {
      sync.disk.changes.watchFails();
      loop.watchFails(reason);
    },
  });
  sync.disk.onLateWrite(() => loop.wake());
  void watcher.ready.then(() => {
    if (loop.isWatched) sync.disk.changes.watchBegins();
  });
  return watcher;
}

function noteOf(event: WatchEvent): string {
  switch (event.kind) {
    case 'paused':
      return 'Paused: "notevault sync resume" continues.';
    case 'resumed':
      return 'Resumed.';
    case 'online':
      return 'The server can be reached again.';
    case 'offline':
      return `Offline: ${event.message}. Changes wait here until the server is back.`;
    case 'blind':
      return `The folder is compared every ${event.everyMs / 1000} s, because ${event.reason}.`;
  }
}
