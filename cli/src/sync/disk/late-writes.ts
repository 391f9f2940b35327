import { type FSWatcher, lstatSync, readdirSync, renameSync, watch } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { fileName, foldPath } from '@notevault/note-text/paths.ts';
import type { DiskFile } from '@notevault/sync/engine/ports.ts';
import { conflictLabel, conflictPath } from '@notevault/sync/plan/names.ts';
import { kindOf } from '@notevault/sync/plan/trees.ts';
import { isSameFile } from './entry.ts';
import { moveToFreePath } from './file-system.ts';
import type { Trash } from './trash.ts';

/** A program that opened a file before it was replaced has written to it by then, or never will. */
const OPEN_MS = 10 * 60 * 1000;
/** Maximum number of replaced files to watch; the oldest are forgotten. */
const FILES_MAX = 1000;

interface ReplacedFile {
  /** The file when it was replaced. */
  readonly file: DiskFile;
  /** Absolute path of the file. */
  readonly at: string;
  /** File that was written in its place. */
  readonly by: DiskFile;
  readonly since: number;
}

/**
 * The files that were replaced a short while ago. A program that has one of them open goes on writing to it where it is
 * now, in the trash, and nobody would look for its text there. So a file that is written to there gets its path again.
 * Where something else has the path by then, or the file is no note, it gets the name of a conflict copy.
 */
export class LateWrites implements Disposable {
  readonly #trash: Trash;
  /** By the id in the trash. */
  readonly #files = new Map<string, ReplacedFile>();
  #watcher: FSWatcher | null = null;
  /** Called when one may have been written to. */
  onWrite: () => void = () => undefined;

  constructor(trash: Trash) {
    this.#trash = trash;
  }

  add(id: string, { file, at, by }: Omit<ReplacedFile, 'since'>): void {
    for (const [other, before] of this.#files) if (before.at === at) this.#files.set(other, { ...before, by });
    this.#files.set(id, { file, at, by, since: performance.now() });
    const [oldest] = this.#files.keys();
    if (this.#files.size > FILES_MAX && oldest !== undefined) this.#files.delete(oldest);
    this.#watcher ??= this.#watched(dirname(this.#trash.fileOf(id)));
  }

  /** Moves replaced files that were written afterwards back to their paths; returns their absolute paths. */
  restoreWritten(): string[] {
    const changed: string[] = [];
    for (const [id, replaced] of [...this.#files]) {
      const stats = lstatSync(this.#trash.fileOf(id), { bigint: true, throwIfNoEntry: false });
      const isWritten = stats !== undefined && !isSameFile(stats, replaced.file);
      if (isWritten) changed.push(this.#returned(id, replaced));
      if (isWritten || stats === undefined || performance.now() - replaced.since > OPEN_MS) this.#files.delete(id);
    }
    if (this.#files.size === 0) this[Symbol.dispose]();
    return changed;
  }

  #returned(id: string, { file, at, by }: ReplacedFile): string {
    const now = lstatSync(at, { bigint: true, throwIfNoEntry: false });
    const isOurs = now !== undefined && isSameFile(now, by);
    const to = isOurs && kindOf(file.path) === 'note' ? at : copyPath(at);
    // What it replaces here is the server's.
    if (to === at) renameSync(this.#trash.fileOf(id), to);
    else moveToFreePath(this.#trash.fileOf(id), to);
    this.#trash.forget(id);
    return to;
  }

  /** Watches a folder; null if it cannot be watched: then the next listing notices late writes. */
  #watched(folder: string): FSWatcher | null {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.onWrite());
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      return null;
    }
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
    this.#watcher = null;
  }
}

function copyPath(at: string): string {
  const folder = dirname(at);
  const names = new Set(readdirSync(folder).map(foldPath));
  const name = conflictPath(fileName(at), conflictLabel(hostname(), new Date()), (folded) => names.has(folded));
  return join(folder, name);
}
