import { rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolderBusy, lockDataFolder } from '../data/data-folder.ts';

const PREFIX = 'notevault-restore-';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A younger folder may be one that another process has made and not locked yet. */
const UNLOCKED_MS = 60_000;

/** A temporary folder of this process. */
export interface Scratch extends AsyncDisposable {
  readonly path: string;
}

/**
 * Creates a temporary folder, which may become as large as all data. It is removed on disposal, and when the process
 * ends by a signal or an error; this call removes those of killed processes.
 */
export async function makeScratch(parent = tmpdir()): Promise<Scratch> {
  await removeAbandoned(parent);
  const path = await mkdtemp(join(parent, PREFIX));
  const lock = lockDataFolder(path);
  const options = { recursive: true, force: true, maxRetries: 5 } as const;
  const removeNow = () => rmSync(path, options);
  const removeAndEnd = (signal: NodeJS.Signals) => {
    removeNow();
    for (const each of SIGNALS) process.removeListener(each, removeAndEnd);
    process.kill(process.pid, signal);
  };
  process.once('exit', removeNow);
  for (const signal of SIGNALS) process.on(signal, removeAndEnd);
  return {
    path,
    async [Symbol.asyncDispose]() {
      for (const signal of SIGNALS) process.removeListener(signal, removeAndEnd);
      process.removeListener('exit', removeNow);
      lock[Symbol.dispose]();
      await rm(path, options);
    },
  };
}

/** Removes the folders whose process, of the same user, was killed: its lock ended with it. */
async function removeAbandoned(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const path = join(parent, name);
    const found = await lstat(path).catch(() => null);
    const isOurs = found?.isDirectory() === true && found.uid === process.getuid?.();
    if (!isOurs || Date.now() - found.mtimeMs < UNLOCKED_MS) continue;
    try {
      using _lock = lockDataFolder(path);
      await rm(path, { recursive: true, force: true });
    } catch (error) {
      if (!(error instanceof DataFolderBusy)) throw error;
    }
  }
}
