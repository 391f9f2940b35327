import { ancestorsOf, foldPath } from '@notevault/note-text/paths.ts';
import { RENAMES_MAX } from '@notevault/protocol/values/batch-limits.ts';
import { isSetting } from '../rules/settings-files.ts';
import { markBlocked } from './blocked.ts';
import { differing } from './differing.ts';
import { type FileState, fileStates, isSamePlace, isUnedited } from './file-states.ts';
import { type FolderMove, folderMoves } from './folder-moves.ts';
import { folderOperations } from './folders.ts';
import { conflictPath } from './names.ts';
import {
  type Direction,
  isWanted,
  type LocalMove,
  type Operation,
  type Problem,
  type ProblemReason,
  type RemoteMove,
} from './operations.ts';
import { settleNames } from './settle-names.ts';
import { type PathChange, Side } from './side.ts';
import { atOnce, eachInSteps, type Steps } from './steps.ts';
import { agreedHash, kindOf, type LocalFile, type RemoteFile, type SyncedFile, type Trees } from './trees.ts';

export interface PlanOptions {
  /** The label in the name of a conflict copy: see `conflictLabel`. */
  readonly label: string;
  readonly direction: Direction;
  /**
   * Whether this device may not write to the vault. What was renamed or deleted here is restored, an edited file becomes a
   * conflict copy, and what only the folder has stays there: nothing is sent.
   */
  readonly isReadOnly?: boolean;
  /** Whether a path can be stored on every common disk. */
  readonly canStore: (path: string) => boolean;
  /** Whether an operation was refused and is not tried yet: contents do not wait for such a rename. */
  readonly isRefused?: (operation: Operation) => boolean;
  /** Whether the plan is only to be shown, so that it includes the contents that wait for its renames. */
  readonly foresees?: boolean;
}

export interface Plan {
  /** Unordered. Empty when the sides are in sync, or only problems and the other direction are left. */
  readonly operations: readonly Operation[];
  /** Operations that the direction excludes. */
  readonly unwanted: readonly Operation[];
  readonly problems: readonly Problem[];
}

/**
 * Returns the operations that bring the local and the remote tree together. It is a pure function of the two observed
 * trees and the last agreed state. Carrying out plans until one is empty leaves both trees equal. No edit is lost: an
 * edit wins over a deletion, notes are merged, and where two other contents conflict both are kept.
 */
export function plan(trees: Trees, options: PlanOptions): Plan {
  return atOnce(planInSteps(trees, options));
}

/** Plans like `plan`, in steps between which other work can run. */
export function* planInSteps(trees: Trees, options: PlanOptions): Steps<Plan> {
  const { trees: left, isApart } = yield* differing(trees);
  yield;
  if (!isApart) return yield* planOfAll(trees, options);
  const planned = yield* planOfAll(left, options);
  // What moves may depend on all the files of a folder, and a new name on all the names there are.
  const moves = [...planned.operations, ...planned.unwanted].some(({ type }) => /^move|setAside/.test(type));
  return moves ? yield* planOfAll(trees, options) : planned;
}

/** The operations that give a folder to a side, and the problem where its name cannot be stored. */
const NEW_FOLDERS: Partial<Record<Operation['type'], ProblemReason>> = {
  makeLocalFolder: 'name',
  makeRemoteFolder: 'name here',
};

/** Makes the plan by looking at every file: see `plan`. */
export function* planOfAll(trees: Trees, options: PlanOptions): Steps<Plan> {
  const { label, direction, isReadOnly = false, canStore, isRefused = () => false, foresees = false } = options;
  const states = fileStates(trees, isReadOnly);
  yield;
  yield* settleNames(states, label, canStore);
  const local = new Side(states, trees.local.folders, (state) => state.local?.path ?? null);
  yield;
  const remote = new Side(states, trees.remote.folders, (state) => state.remote?.path ?? null);
  yield;
  markBlocked(states, [local, remote]);
  const up = changesOf(states, remote);
  const down = changesOf(states, local).filter(({ state }) => state.problem === null);
  yield;
  const upFolders = movesOfFolders(up, remote, states, trees.remote.folders);
  const downFolders = movesOfFolders(down, local, states, trees.local.folders);
  const moving = touchedBy([...upFolders, ...downFolders]);

  const operations: Operation[] = [
    ...upFolders.map((move) => folderMove('moveRemoteFolder', move)),
    ...downFolders.map((move) => folderMove('moveLocalFolder', move)),
    ...movesOf(up, remote, moving, { one: moveRemote, many: (moves) => moveRemoteMany(moves, trees.remote.folders) }),
    ...movesOf(down, local, moving, { one: moveLocal, many: moveLocalMany }),
  ];
  const renames = operations.some((operation) => isWanted(operation, direction) && !isRefused(operation));
  yield* eachInSteps(states, (state) => {
    if (moving.isTouched(state)) return;
    const operation =
      comingOrGoing(state, { local, remote }, isReadOnly) ??
      (renames && !foresees ? null : contentOperation(state, states, options));
    if (operation !== null) operations.push(operation);
  });
  yield;
  const problems = problemsOf(states);
  if (isReadOnly) problems.push(...onlyHere(states));
  yield;
  for (const operation of renames ? [] : folderOperations(trees, states, { local, remote }, isReadOnly)) {
    const reason = NEW_FOLDERS[operation.type];
    if (reason !== undefined && 'path' in operation && !canStore(operation.path))
      problems.push({ path: operation.path, id: null, reason });
    else operations.push(operation);
  }
  yield;
  const unwanted = operations.filter((operation) => !isWanted(operation, direction));
  const wanted = unwanted.length === 0 ? operations : operations.filter((operation) => isWanted(operation, direction));
  return { operations: wanted, unwanted, problems };
}

/** Returns whether the vault does not get the path that the file has here. */
function isUnsendable({ problem }: FileState): boolean {
  return problem === 'case' || problem === 'name here';
}

/** Returns the files of a side that are not at their target path. */
function changesOf(states: readonly FileState[], side: Side): PathChange[] {
  const changes: PathChange[] = [];
  for (const state of states) {
    const from = side.pathOf(state);
    const { target } = state;
    if (from !== null && target !== null && from !== target && !isUnsendable(state))
      changes.push({ state, from, to: target });
  }
  return changes;
}

function movesOfFolders(
  changes: readonly PathChange[],
  side: Side,
  states: readonly FileState[],
  folders: readonly string[],
): FolderMove[] {
  if (changes.length === 0) return [];
  const present = states.map((state) => side.pathOf(state)).filter((path) => path !== null);
  const emptyFolders = folders.map(foldPath);
  const isFree = (folder: string) => {
    const folded = foldPath(folder);
    return (
      side.ownerAtOrAbove(folder) === null &&
      !side.hasFilesIn(folder) &&
      !emptyFolders.some((other) => other === folded || other.startsWith(`${folded}/`))
    );
  };
  // If a side has both spellings of a folder, they stay separate: only files whose own names differ are moved.
  const spellings = new Set([...folders, ...present.flatMap(ancestorsOf)]);
  return folderMoves(changes, present, isFree).filter(({ to }) => !spellings.has(to));
}

function folderMove(type: 'moveRemoteFolder' | 'moveLocalFolder', { from, to, states }: FolderMove): Operation {
  return { type, from, to, ids: states.map(({ key }) => key) };
}

/** Paths of this plan's folder moves. No other operation may touch a source or destination before the move is done. */
interface TouchedPaths {
  isTouched(state: FileState): boolean;
}

function touchedBy(folderMovesOfBoth: readonly FolderMove[]): TouchedPaths {
  const folders = folderMovesOfBoth.flatMap(({ from, to }) => [foldPath(from), foldPath(to)]);
  const isIn = (path: string | undefined | null) => {
    if (path == null || folders.length === 0) return false;
    const folded = foldPath(path);
    return folders.some((folder) => folded === folder || folded.startsWith(`${folder}/`));
  };
  return { isTouched: ({ local, remote, target }) => isIn(local?.path) || isIn(remote?.path) || isIn(target) };
}

function movesOf(
  changes: readonly PathChange[],
  side: Side,
  moving: TouchedPaths,
  {
    one,
    many,
  }: {
    readonly one: (move: PathChange) => Operation;
    readonly many: (moves: readonly PathChange[]) => readonly Operation[];
  },
): Operation[] {
  const { free, exchanges } = side.possibleMoves(changes);
  const isApart = ({ state }: PathChange) => !moving.isTouched(state);
  return [...free.filter(isApart).map(one), ...exchanges.filter((moves) => moves.every(isApart)).flatMap(many)];
}

const remoteMove = ({ state, from, to }: PathChange): RemoteMove => ({ id: state.key, from, to });
const moveRemote = (move: PathChange): Operation => ({ type: 'moveRemote', ...remoteMove(move) });

const localMove = ({ state, from, to }: PathChange): LocalMove => ({
  id: state.synced === null && state.remote === null ? null : state.key,
  from,
  to,
  hash: state.local?.hash ?? '',
});
const moveLocal = (move: PathChange): Operation => ({
  type: 'moveLocal',
  ...localMove(move),
  conflict: move.state.conflict,
});
const moveLocalMany = (moves: readonly PathChange[]): Operation[] => [
  { type: 'moveLocalMany', moves: moves.map(localMove) },
];

/**
 * Returns the request for an exchange of paths. Where a file takes the path of a folder that was made for itself, that
 * must first be one that goes with its last file.
 *
 * @param folders those of the vault that stay when they are empty
 */
function moveRemoteMany(moves: readonly PathChange[], folders: readonly string[]): Operation[] {
  const targets = new Set(moves.map(({ to }) => foldPath(to)));
  const inTheWay = folders.filter((path) => [path, ...ancestorsOf(path)].some((at) => targets.has(foldPath(at))));
  if (inTheWay.length > 0) return inTheWay.map((path) => ({ type: 'removeRemoteFolder', path }));
  return [{ type: 'moveRemoteMany', moves: withinRequest(moves.map(remoteMove)) }];
}

/**
 * Returns the first moves of a circle that is too long for one request. The last of them takes the path that the first
 * one leaves, so that what is left is a shorter circle.
 */
function withinRequest(moves: readonly RemoteMove[]): readonly RemoteMove[] {
  const [first, last] = [moves[0], moves[RENAMES_MAX - 1]];
  if (moves.length <= RENAMES_MAX || first === undefined || last === undefined) return moves;
  return [...moves.slice(0, RENAMES_MAX - 1), { ...last, to: first.from }];
}

/** Returns the operation that creates or deletes a file on one side; null when both sides have it or it must wait. */
function comingOrGoing(
  state: FileState,
  sides: { readonly local: Side; readonly remote: Side },
  isReadOnly: boolean,
): Operation | null {
  const { key, synced, local, remote, target, problem } = state;
  if (local === null && remote === null) return { type: 'forget', id: key };
  if (local === null && remote !== null) {
    if (target === null) return { type: 'deleteRemote', id: key, path: remote.path, hash: remote.hash };
    if (problem !== null || !sides.local.isFree(state, target)) return null;
    return { type: 'writeLocal', id: key, path: target, hash: remote.hash, version: remote.version, over: null };
  }
  if (local !== null && remote === null) {
    if (target === null) return { type: 'deleteLocal', id: key, path: local.path, hash: local.hash };
    if (problem !== null || isReadOnly || local.path !== target || !sides.remote.isFree(state, target)) return null;
    return { type: 'createRemote', path: target, hash: local.hash, id: synced?.id ?? null };
  }
  return null;
}

/**
 * Returns the agreed path. If the disk spells a folder differently, the disk's spelling is the base, so only a person's
 * rename changes the server's spelling. If the disk cannot follow a rename, the agreed path stays the former one.
 */
export function agreedPath(local: string, remote: string, synced: SyncedFile | null | undefined): string {
  return isSamePlace(local, remote) ? local : (synced?.path ?? remote);
}

/**
 * Returns the operation that makes the contents of a file equal; null when they are equal or the file must move first.
 */
function contentOperation(
  state: FileState,
  states: readonly FileState[],
  { label, direction, isReadOnly = false }: PlanOptions,
): Operation | null {
  const { key, synced, local, remote, target, problem } = state;
  if (local === null || remote === null || target === null) return null;
  const isThere = (path: string) => problem !== null || isSamePlace(path, target);
  if (!isThere(local.path) || !isThere(remote.path)) return null;
  const equal: SyncedFile = {
    id: key,
    path: agreedPath(local.path, remote.path, synced),
    hash: remote.hash,
    version: remote.version,
    fileId: local.fileId,
    pushed: null,
  };
  if (local.hash === remote.hash) return isEqual(equal, synced) ? null : { type: 'adopt', file: equal };
  const { id, path, hash, version } = remote;
  const takeTheirs = { type: 'writeLocal', id, path: local.path, hash, version, over: local.hash } as const;
  if (synced === null) return isSetting(path) ? { ...takeTheirs, conflict: true } : null;
  if (isUnedited(local, synced)) return takeTheirs;
  const agreed = agreedHash(synced);
  if (isReadOnly && isOnlyHere(local.hash, states)) return takeTheirs;
  if (isSetting(path) && (isReadOnly || (remote.hash !== agreed && !isLater(local, remote))))
    return { ...takeTheirs, conflict: true };
  if (isReadOnly)
    return { type: 'setAside', id, from: local.path, to: asidePath(local.path, states, label), hash: local.hash };
  if (direction === 'pull' && remote.hash !== agreed && kindOf(path) === 'note') {
    const hashes = { hash: local.hash, baseHash: agreed, remoteHash: hash };
    return { type: 'mergeLocal', id, path: local.path, ...hashes };
  }
  if (remote.hash === agreed || kindOf(path) === 'note' || isSetting(path)) {
    const base = { hash: agreed, version: synced.pushed === null ? synced.version : null };
    return { type: 'pushContent', id, path, localPath: local.path, hash: local.hash, base, remoteHash: hash };
  }
  return { type: 'setAside', id, from: local.path, to: asidePath(local.path, states, label), hash: local.hash };
}

/** Returns whether the edit here is later than the vault's. Where that is not known, the vault's counts as later. */
function isLater({ mtimeMs = 0 }: LocalFile, { mtime }: RemoteFile): boolean {
  return mtimeMs > mtime * 1000;
}

/**
 * Returns whether the folder alone has a file of this content: a program that saves the same again and again needs one
 * copy.
 */
function isOnlyHere(hash: string, states: readonly FileState[]): boolean {
  return states.some(({ local, remote, synced }) => remote === null && synced === null && local?.hash === hash);
}

/** Returns a free path for the conflict copy of a file. */
function asidePath(path: string, states: readonly FileState[], label: string): string {
  const taken = new Set(
    states.flatMap(({ target: at, local: file }) => [at, file?.path].filter((one) => one != null)).map(foldPath),
  );
  return conflictPath(path, label, (folded) => taken.has(folded));
}

/** Returns the files that only the folder has, for a device that may not send them. */
function onlyHere(states: readonly FileState[]): Problem[] {
  return states.flatMap(({ local, remote, target, problem }) =>
    local !== null && remote === null && problem === null && target === local.path
      ? [{ path: local.path, id: null, reason: 'only here' as const }]
      : [],
  );
}

function isEqual(agreed: SyncedFile, synced: SyncedFile | null): boolean {
  return (
    synced !== null &&
    synced.path === agreed.path &&
    synced.hash === agreed.hash &&
    synced.version === agreed.version &&
    synced.fileId === agreed.fileId &&
    synced.pushed === null
  );
}

function problemsOf(states: readonly FileState[]): Problem[] {
  const problems: Problem[] = [];
  for (const { problem, target, local, remote, key } of states) {
    if (problem === null) continue;
    const path = (problem === 'name' ? target : (local?.path ?? target)) ?? '';
    problems.push({ path, id: remote === null ? null : key, reason: problem });
  }
  return problems;
}
