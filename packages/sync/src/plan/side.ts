import { ancestorsOf, fileName, folderOf, foldPath, isInside, joinPath } from '@notevault/note-text/paths.ts';
import type { FileState } from './file-states.ts';
import { isSamePlace } from './file-states.ts';
import { isTempPath, tempPath } from './names.ts';

/** A file that must move to its target on one side. */
export interface PathChange {
  readonly state: FileState;
  readonly from: string;
  readonly to: string;
}

/** The files and folders of one side by path, before any operation runs. */
export class Side {
  readonly #pathOf: (state: FileState) => string | null;
  readonly #owners = new Map<string, FileState>();
  /** By the path as it is spelled: a disk can have files whose paths differ only by case. */
  readonly #exactOwners = new Map<string, FileState>();
  /** One file below each folder that has any. */
  readonly #inside = new Map<string, FileState>();
  /** Folders without files. */
  readonly #emptyFolders: ReadonlySet<string>;

  constructor(states: readonly FileState[], folders: readonly string[], pathOf: (state: FileState) => string | null) {
    this.#pathOf = pathOf;
    for (const state of states) {
      const path = pathOf(state);
      if (path === null) continue;
      const folded = foldPath(path);
      this.#owners.set(folded, state);
      this.#exactOwners.set(path, state);
      // Where a folder is known, those above it are.
      for (let folder = folderOf(folded); folder !== '' && !this.#inside.has(folder); folder = folderOf(folder))
        this.#inside.set(folder, state);
    }
    this.#emptyFolders = new Set(folders.map(foldPath).filter((folder) => !this.#inside.has(folder)));
  }

  pathOf(state: FileState): string | null {
    return this.#pathOf(state);
  }

  /** Whether a folder without files has the path. */
  hasEmptyFolder(path: string): boolean {
    return this.#emptyFolders.has(foldPath(path));
  }

  /** Whether any file lies below a folder. */
  hasFilesIn(folder: string): boolean {
    return this.#inside.has(foldPath(folder));
  }

  /** Returns the file at a path or at one of its ancestors. */
  ownerAtOrAbove(path: string): FileState | null {
    const folded = foldPath(path);
    return (
      [folded, ...ancestorsOf(folded)].map((at) => this.#owners.get(at)).find((owner) => owner !== undefined) ?? null
    );
  }

  /**
   * Returns the file that must move before `state` can take a path: one at the path, above it or below it. It can be
   * `state` itself, when its target is an ancestor or descendant of its own path.
   */
  blockerOf(state: FileState, path: string): FileState | null {
    const folded = foldPath(path);
    const own = this.#pathOf(state);
    if (own !== null && foldPath(own) === folded) {
      const exact = this.#exactOwners.get(path);
      return exact === state ? null : (exact ?? null);
    }
    return this.ownerAtOrAbove(folded) ?? this.#inside.get(folded) ?? null;
  }

  isFree(state: FileState, path: string): boolean {
    return this.blockerOf(state, path) === null && !this.hasEmptyFolder(path);
  }

  /**
   * Returns the moves whose destination is free. If the moves only wait for one another, one file moves to a temporary
   * path.
   */
  freeMoves(changes: readonly PathChange[]): PathChange[] {
    const moves = changes.filter(({ from, to }) => !isSamePlace(from, to));
    const free = moves.filter(({ state, to }) => this.isFree(state, to));
    if (free.length > 0) return free;
    const changeOf = new Map(moves.map((move) => [move.state, move]));
    for (const move of moves) {
      if (!this.#isInCycle(move, changeOf)) continue;
      const to = waitingPath(move, moves);
      if (to !== move.from) return [{ ...move, to }];
    }
    return [];
  }

  #isInCycle(start: PathChange, changeOf: ReadonlyMap<FileState, PathChange>): boolean {
    const seen = new Set<FileState>();
    for (let at: PathChange | undefined = start; at !== undefined; ) {
      const blocker = this.blockerOf(at.state, at.to);
      if (blocker === start.state) return true;
      if (blocker === null || seen.has(blocker)) return false;
      seen.add(blocker);
      at = changeOf.get(blocker);
    }
    return false;
  }
}

/**
 * Returns where a file waits while files take each other's paths: beside its own, or, if the path of a folder above it
 * is the target of one of the moves, outside of that folder.
 */
function waitingPath({ state, from }: PathChange, moves: readonly PathChange[]): string {
  const above = moves.map(({ to }) => to).filter((to) => isInside(to, from));
  const [outermost] = above.sort((a, b) => a.length - b.length);
  const path = outermost === undefined ? from : joinPath(folderOf(outermost), fileName(from));
  return isTempPath(path, state.key) ? path : tempPath(path, state.key);
}
