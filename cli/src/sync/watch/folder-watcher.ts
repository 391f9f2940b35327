import { relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';

export interface FolderWatcherOptions {
  readonly root: string;
  /** Whether a path below the root is left out of syncing. */
  isIgnored(path: string, kind: 'file' | 'folder'): boolean;
  /** Called for every change that may matter, at once. */
  changed(path: string): void;
  /** Called when changes can no longer be noticed; the reason continues "because". */
  failed(reason: string): void;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the system has no more inotify watches (raise fs.inotify.max_user_watches)',
  EMFILE: 'the system has no more inotify instances (raise fs.inotify.max_user_instances)',
};

/**
 * Reports changes below a folder. A report says only that something may have changed: what did is found by listing.
 * Saves by deleting and renaming are therefore no special case.
 */
export class FolderWatcher implements AsyncDisposable {
  readonly #watcher: FSWatcher;
  /** Resolves when every folder is watched, or watching failed. */
  readonly ready: Promise<void>;

  constructor({ root, isIgnored, changed, failed }: FolderWatcherOptions) {
    const pathOf = (absolute: string) => relative(root, absolute).split(sep).join('/').normalize('NFC');
    const isLeftOut = (absolute: string, kind: 'file' | 'folder') => {
      const path = pathOf(absolute);
      if (path === '' || path === '.notevaultignore') return false;
      return (/(?:^|\/)\./.test(path) && !path.startsWith('.obsidian')) || isIgnored(path, kind);
    };
    this.#watcher = watch(root, {
      ignored: (absolute, stats) => isLeftOut(absolute, stats?.isDirectory() === false ? 'file' : 'folder'),
      ignoreInitial: true,
      followSymlinks: false,
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
    this.#watcher.on('all', (_event, absolute) => changed(pathOf(absolute)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watcher.close();
  }
}
