import { isSetting } from '../rules/settings-files.ts';
import type { SyncedFile } from './trees.ts';

/**
 * An operation of a plan. The operations of one plan are independent: they may run in any order and concurrently, and
 * what depends on them is in a later plan. Each has preconditions; if one fails, the operation does nothing and the
 * next plan uses what is observed then.
 */
export type Operation = UpOperation | DownOperation | StateOperation;

/** Changes the server. */
export type UpOperation =
  /** Uploads a local file as a new one; `id` revives the file that the server deleted while it was edited locally. */
  | { readonly type: 'createRemote'; readonly path: string; readonly hash: string; readonly id: string | null }
  /**
   * Uploads the local bytes as an edit of the base: a note is merged, an attachment is replaced only if it still has
   * `remoteHash`. Where that is not the base, the attachment is a settings file with an earlier edit in the vault, which
   * is kept in the trash of this device. The version of the base is null when the server has none that is the base alone: then the engine
   * merges.
   */
  | {
      readonly type: 'pushContent';
      readonly id: string;
      /** The path on the server, then the one on the disk. */
      readonly path: string;
      readonly localPath: string;
      readonly hash: string;
      readonly base: { readonly hash: string; readonly version: number | null };
      readonly remoteHash: string;
    }
  | { readonly type: 'moveRemote'; readonly id: string; readonly from: string; readonly to: string }
  /** Exchanges the paths of several files atomically. */
  | { readonly type: 'moveRemoteMany'; readonly moves: readonly RemoteMove[] }
  /** Moves a folder with all its contents; `ids` are the files below it that the plan knows. */
  | {
      readonly type: 'moveRemoteFolder';
      readonly from: string;
      readonly to: string;
      readonly ids: readonly string[];
    }
  /** Deletes the file if it still has this hash. */
  | { readonly type: 'deleteRemote'; readonly id: string; readonly path: string; readonly hash: string }
  | { readonly type: 'makeRemoteFolder'; readonly path: string }
  /** Removes a folder; one with files goes with the last of them. */
  | { readonly type: 'removeRemoteFolder'; readonly path: string };

/** Changes the disk. */
export type DownOperation =
  /** Downloads the server's bytes; replaces a local file only if it has the hash `over`. */
  | {
      readonly type: 'writeLocal';
      readonly id: string;
      readonly path: string;
      readonly hash: string;
      readonly version: number | null;
      readonly over: string | null;
      /** Whether it replaces an edit of a settings file made here, which goes to the trash of this device. */
      readonly conflict?: true;
    }
  /** Merges the server's text of a note into the local one, which is not sent; `base` is what both were made from. */
  | {
      readonly type: 'mergeLocal';
      readonly id: string;
      /** The path on the disk. */
      readonly path: string;
      readonly hash: string;
      readonly baseHash: string;
      readonly remoteHash: string;
    }
  | {
      readonly type: 'moveLocal';
      readonly id: string | null;
      readonly from: string;
      readonly to: string;
      readonly hash: string;
      /** Whether the file becomes a conflict copy because both sides have a file of their own at its path. */
      readonly conflict: boolean;
    }
  /** Exchanges the paths of several files atomically. */
  | { readonly type: 'moveLocalMany'; readonly moves: readonly LocalMove[] }
  | {
      readonly type: 'moveLocalFolder';
      readonly from: string;
      readonly to: string;
      readonly ids: readonly string[];
    }
  /** Renames the local file to a conflict copy and drops its record: from now on it is a new file. */
  | {
      readonly type: 'setAside';
      readonly id: string;
      readonly from: string;
      readonly to: string;
      readonly hash: string;
    }
  /** Moves the file to the trash if it still has this hash. */
  | { readonly type: 'deleteLocal'; readonly id: string; readonly path: string; readonly hash: string }
  | { readonly type: 'makeLocalFolder'; readonly path: string }
  /** Removes an empty folder. */
  | { readonly type: 'removeLocalFolder'; readonly path: string };

/** A file that takes the path of another one, which gets a path at the same time. */
export interface RemoteMove {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** Move of a file on the disk. @property id null for a file that the server does not have */
export interface LocalMove {
  readonly id: string | null;
  readonly from: string;
  readonly to: string;
  readonly hash: string;
}

/** Returns whether one of two edits of a settings file replaces the other, which goes to the trash of this device. */
export function replacesEdit(operation: Operation): boolean {
  if (operation.type === 'writeLocal') return operation.conflict === true;
  return operation.type === 'pushContent' && isSetting(operation.path) && operation.base.hash !== operation.remoteHash;
}

/** Returns a key that is equal for operations with the same effect. */
export function keyOf(operation: Operation): string {
  return JSON.stringify(operation);
}

/** The direction in which changes are applied. */
export type Direction = 'both' | 'pull' | 'push';

/** Returns whether a sync in this direction carries the operation out. */
export function isWanted({ type }: Operation, direction: Direction): boolean {
  const isUp = type.includes('Remote') || type === 'pushContent';
  const isDown = type.includes('Local') || type === 'setAside';
  return !(direction === 'pull' && isUp) && !(direction === 'push' && isDown);
}

/** Changes only the stored state, for what both sides already agree on. */
export type StateOperation =
  | { readonly type: 'adopt'; readonly file: SyncedFile }
  | { readonly type: 'forget'; readonly id: string }
  | { readonly type: 'adoptFolder'; readonly path: string }
  | { readonly type: 'forgetFolder'; readonly path: string };

/**
 * Why a file keeps different paths on the two sides. `case`: the name differs from another file's only by case. `name`:
 * the name in the vault is one that not every disk can store. `name here`: so is the name on this disk. `blocked`: a file
 * with a problem of its own has the path. `only here`: this device may not send it.
 */
export type ProblemReason = 'case' | 'name' | 'name here' | 'blocked' | 'only here';

/** A file whose path cannot be synced. It stays where it is on both sides. */
export interface Problem {
  readonly path: string;
  readonly id: string | null;
  readonly reason: ProblemReason;
}
