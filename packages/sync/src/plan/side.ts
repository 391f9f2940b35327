import { ancestorsOf, folderOf, foldPath } from '@notevault/note-text/paths.ts';
import type { FileState } from './file-states.ts';
import { isSamePlace } from './file-states.ts';

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
  /** One contained file for each non-empty folder. */
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

  /** Returns whether a folder without files has the path. */
  hasEmptyFolder(path: string): boolean {
    return this.#emptyFolders.has(foldPath(path));
  }

  /** Returns whether any file lies below a folder. */
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
   * Returns the moves whose destination is free; when there is none, the groups of files that wait only for one another's
   * paths.
   */
  possibleMoves(changes: readonly PathChange[]): PossibleMoves {
    const moves = changes.filter(({ from, to }) => !isSamePlace(from, to));
    const free = moves.filter(({ state, to }) => this.isFree(state, to));
    return { free, exchanges: free.length > 0 ? [] : this.#exchanges(moves) };
  }

  #exchanges(moves: readonly PathChange[]): PathChange[][] {
    const changeOf = new Map(moves.map((move) => [move.state, move]));
    const taken = new Set<FileState>();
    const exchanges: PathChange[][] = [];
    for (const move of moves) {
      const group = taken.has(move.state) ? null : this.#movingWith(move, changeOf);
      if (group === null || group.some(({ state }) => taken.has(state))) continue;
      for (const { state } of group) taken.add(state);
      exchanges.push(group);
    }
    return exchanges;
  }

  /** Returns a move with those that must be made together with it; null when a file that stays is in the way. */
  #movingWith(start: PathChange, changeOf: ReadonlyMap<FileState, PathChange>): PathChange[] | null {
    const group = new Map([[start.state, start]]);
    // The loop also visits what it adds.
    for (const { state, to } of group.values()) {
      if (this.hasEmptyFolder(to)) return null;
      for (const blocker of this.#blockersOf(state, to)) {
        const change = changeOf.get(blocker);
        if (change === undefined) return null;
        group.set(blocker, change);
      }
    }
    return [...group.values()];
  }

  /** Returns all files that must move before `state` can take a path. */
  #blockersOf(state: FileState, path: string): readonly FileState[] {
    const blocker = this.blockerOf(state, path);
    if (blocker === null) return [];
    const inside = `${foldPath(path)}/`;
    const isInside = (at: string) => at.startsWith(inside);
    if (!isInside(foldPath(this.#pathOf(blocker) ?? ''))) return [blocker];
    return [...this.#owners].filter(([at]) => isInside(at)).map(([, owner]) => owner);
  }
}

/** Moves that can be made now: each free one by itself, and each exchange of paths as a whole. */
export interface PossibleMoves {
  readonly free: readonly PathChange[];
  readonly exchanges: readonly (readonly PathChange[])[];
}
