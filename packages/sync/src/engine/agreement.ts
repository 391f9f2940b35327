import { agreedPath } from '../plan/planner.ts';
import { kindOf, type RemoteFile } from '../plan/trees.ts';
import type { DiskFile } from './ports.ts';
import type { SyncState } from './sync-state.ts';

export function agreeOnPath(state: SyncState, id: string, path: string): void {
  const synced = state.synced.get(id);
  if (synced !== undefined) state.record({ type: 'synced', file: { ...synced, path } });
}

/** The text of a local file, and what the server has made of it, as far as they are known. */
export interface Texts {
  readonly hash: string;
  readonly text: string | null;
  readonly remoteText?: string | undefined;
}

/**
 * Records what is agreed on after a transfer: the local text and the one that the server has made of it, which differ if
 * it merged an upload with other edits. It merges no attachments: where one has other bytes than those that were sent,
 * both are kept.
 */
export function agreeOnContent(
  state: SyncState,
  remote: RemoteFile,
  local: DiskFile,
  { hash, text, remoteText }: Texts,
): void {
  const isEqual = remote.hash === hash;
  if (!isEqual && kindOf(remote.path) !== 'note') return;
  const path = agreedPath(local.path, remote.path, state.synced.get(remote.id));
  if (text !== null) state.record({ type: 'baseText', hash, text });
  if (!isEqual && remoteText !== undefined) state.record({ type: 'baseText', hash: remote.hash, text: remoteText });
  const { id, version } = remote;
  const file = { id, path, hash: remote.hash, version, fileId: local.fileId, pushed: isEqual ? null : hash };
  state.record({ type: 'synced', file });
}
