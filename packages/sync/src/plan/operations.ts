import type { SyncedFile } from './trees.ts';

/**
 * What a plan asks for. Operations of one plan may be carried out in any order and at the same time; what has to wait for
 * another is in a later plan. Each says what it rests on: where that no longer holds, nothing is done, and the next plan
 * follows from what is observed then.
 */
export type Operation = UpOperation | DownOperation | StateOperation;

/** On the server. */
export type UpOperation =
  /** Makes a file of a local one; `id` revives the file that the server deleted while it was edited here. */
  | { readonly type: 'createRemote'; readonly path: string; readonly hash: string; readonly id: string | null }
  /** Sends the local bytes as an edit of the base: a note merges, an attachment replaces `remoteHash` alone. */
  | {
      readonly type: 'pushContent';
      readonly id: string;
      /** The path on the server, and the one on the disk. */
      readonly path: string;
      readonly localPath: string;
      readonly hash: string;
      readonly base: { readonly hash: string; readonly version: number | null };
      readonly remoteHash: string;
    }
  | { readonly type: 'moveRemote'; readonly id: string; readonly from: string; readonly to: string }
  /** Moves a folder with all in it; `ids` are the files that the plan knows below it. */
  | {
      readonly type: 'moveRemoteFolder';
      readonly from: string;
      readonly to: string;
      readonly ids: readonly string[];
    }
  /** Deletes the file while it has these bytes. */
  | { readonly type: 'deleteRemote'; readonly id: string; readonly path: string; readonly hash: string }
  | { readonly type: 'makeRemoteFolder'; readonly path: string }
  /** Removes an empty folder. */
  | { readonly type: 'removeRemoteFolder'; readonly path: string };

/** On the disk. */
export type DownOperation =
  /** Writes the server's bytes; over a local file only while that has the hash `over`. */
  | {
      readonly type: 'writeLocal';
      readonly id: string;
      readonly path: string;
      readonly hash: string;
      readonly version: number | null;
      readonly over: string | null;
    }
  | {
      readonly type: 'moveLocal';
      readonly id: string | null;
      readonly from: string;
      readonly to: string;
      readonly hash: string;
      /** Whether the file makes way because both sides made something of their own at its path. */
      readonly conflict: boolean;
    }
  | {
      readonly type: 'moveLocalFolder';
      readonly from: string;
      readonly to: string;
      readonly ids: readonly string[];
    }
  /** Renames the local file out of the way and forgets that it was this one: it is a file of its own from now on. */
  | {
      readonly type: 'setAside';
      readonly id: string;
      readonly from: string;
      readonly to: string;
      readonly hash: string;
    }
  /** Puts the file into the trash while it has these bytes. */
  | { readonly type: 'deleteLocal'; readonly id: string; readonly path: string; readonly hash: string }
  | { readonly type: 'makeLocalFolder'; readonly path: string }
  /** Removes an empty folder. */
  | { readonly type: 'removeLocalFolder'; readonly path: string };

/** On the record of what both sides agree on, for what they agree on already. */
export type StateOperation =
  | { readonly type: 'adopt'; readonly file: SyncedFile }
  | { readonly type: 'forget'; readonly id: string }
  | { readonly type: 'adoptFolder'; readonly path: string }
  | { readonly type: 'forgetFolder'; readonly path: string };

/** A file that cannot be kept in step as it is, and why. It stays as it is on both sides. */
export interface Problem {
  readonly path: string;
  readonly id: string | null;
  /** `case`: another file has the name but for the case of letters. `name`: the disk cannot hold the name. */
  readonly reason: 'case' | 'name';
}
