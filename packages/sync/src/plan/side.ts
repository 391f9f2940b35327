import { ancestorsOf, fileName, folderOf, foldPath, isInside, joinPath } from '@notevault/note-text/paths.ts';
import type { FileState } from './file-states.ts';
import { isSamePlace } from './file-states.ts';
import { tempPath } from './names.ts';

/** A file that has to get to its target on one side. */
export interface PathChange {
  readonly state: FileState;
  readonly from: string;
  readonly to: string;
}

/** What stands where on one side, as it is before anything is carried out. */
export class Side {
  readonly #pathOf: (state: FileState) => string | null;
  readonly #owners = new Map<string, FileState>();
  /** Some file below each folder that has any. */
  readonly #inside = new Map<string, FileState>();
  /** Folders that hold no file. */
  readonly #emptyFolders: ReadonlySet<string>;

  constructor(states: readonly FileState[], folders: readonly string[], pathOf: (state: FileState) => string | null) {
    this.#pathOf = pathOf;
    for (const state of states) {
      const path = pathOf(state);
      if (path === null) continue;
      this.#owners.set(foldPath(path), state);
      for (const folder of ancestorsOf(foldPath(path))) if (!this.#inside.has(folder)) this.#inside.set(folder, state);
    }
    this.#emptyFolders = new Set(folders.map(foldPath).filter((folder) => !this.#inside.has(folder)));
  }

  pathOf(state: FileState): string | null {
    return this.#pathOf(state);
  }

  /** Whether a folder without files is at the path. */
  hasEmptyFolder(path: string): boolean {
    return this.#emptyFolders.has(foldPath(path));
  }

  /** Whether any file lies below a folder. */
  hasFilesIn(folder: string): boolean {
    return this.#inside.has(foldPath(folder));
  }

  /** The file at a path, or at that of a folder above it. */
  ownerAtOrAbove(path: string): FileState | null {
    const folded = foldPath(path);
    return (
      [folded, ...ancestorsOf(folded)].map((at) => this.#owners.get(at)).find((owner) => owner !== undefined) ?? null
    );
  }

  /**
   * The file that has to go first for `state` to get to a path: at the path, above it, or below it. It can be `state`
   * itself, on its way to the path of a folder that it lies in, or below its own path.
   */
  blockerOf(state: FileState, path: string): FileState | null {
    const folded = foldPath(path);
    if (this.#owners.get(folded) === state) return null;
    return this.ownerAtOrAbove(folded) ?? this.#inside.get(folded) ?? null;
  }

  isFree(state: FileState, path: string): boolean {
    return this.blockerOf(state, path) === null && !this.hasEmptyFolder(path);
  }

  /** The moves of this side that nothing stands in the way of. Where files only wait for one another, one steps aside. */
  freeMoves(changes: readonly PathChange[]): PathChange[] {
    const moves = changes.filter(({ from, to }) => !isSamePlace(from, to));
    const free = moves.filter(({ state, to }) => this.isFree(state, to));
    if (free.length > 0) return free;
    const changeOf = new Map(moves.map((move) => [move.state, move]));
    const stuck = moves.find((move) => this.#isInCycle(move, changeOf));
    if (stuck === undefined) return [];
    const { from, to, state } = stuck;
    const waitsIn = isInside(to, from) ? joinPath(folderOf(to), fileName(from)) : from;
    return [{ ...stuck, to: tempPath(waitsIn, state.key) }];
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
