import { join, relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';

export interface FolderWatcherOptions {
  readonly root: string;
  /** Returns whether a path below the root is left out of syncing. */
  isIgnored(path: string, kind: 'file' | 'folder'): boolean;
  /** Called for every change that may matter, at once. */
  changed(path: string): void;
  /** Called when changes can no longer be noticed; the reason continues "because". */
  failed(reason: string): void;
  /** Function that watches files; chokidar's by default. */
  readonly watch?: typeof watch;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the system has no more inotify watches (raise fs.inotify.max_user_watches)',
  EMFILE: 'the system has no more inotify instances (raise fs.inotify.max_user_instances)',
};

/**
 * Reports changes below a folder. A report says only that something may have changed: what did is found by listing.
 * Saves by deleting and renaming are therefore no special case.
 *
 * The library watches folders only, which saves listing all files and keeping that list in memory. Changes of files
 * arrive as the system's events of their folders.
 */
export class FolderWatcher implements AsyncDisposable {
  readonly #watcher: FSWatcher;
  /** Resolves when every folder is watched, or watching failed. */
  readonly ready: Promise<void>;

  constructor({ root, isIgnored, changed, failed, watch: begin = watch }: FolderWatcherOptions) {
    const pathOf = (absolute: string) => relative(root, absolute).split(sep).join('/').normalize('NFC');
    const isLeftOut = (path: string, kind: 'file' | 'folder') => {
      if (path === '' || path === '.notevaultignore') return false;
      return (/(?:^|\/)\./.test(path) && !path.startsWith('.obsidian')) || isIgnored(path, kind);
    };
    const report = (absolute: string) => {
      const path = pathOf(absolute);
      if (!isLeftOut(path, 'file')) changed(path);
    };
    this.#watcher = begin(root, {
      ignored: (absolute, stats) => stats?.isDirectory() === false || isLeftOut(pathOf(absolute), 'folder'),
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      atomic: false,
    });
    this.ready = new Promise((resolve) => {
      this.#watcher.on('ready', resolve);
      this.#watcher.on('error', (error) => {
        const { code = '', message } = error as NodeJS.ErrnoException;
        failed(REASONS[code] ?? message);
        resolve();
      });
    });
    this.#watcher.on('raw', (_event, path, details) => {
      const { watchedPath = root } = (details ?? {}) as { readonly watchedPath?: string };
      report(path ? join(watchedPath, path) : watchedPath);
    });
    // A new folder may have got files before it was watched.
    this.#watcher.on('addDir', report);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watcher.close();
  }
}
