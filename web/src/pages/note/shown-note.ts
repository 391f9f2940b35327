import { ApiError } from '@notevault/client/transport.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../data/keys.ts';
import { noteQuery } from '../../data/queries.ts';
import { deviceNoteQuery } from '../../device/device-note-query.ts';
import { draftOf, outboxState } from '../../device/outbox/outbox-state.ts';
import { useObservable } from '../../platform/use-observable.ts';

/** Part of a note that is shown before its document is loaded. */
export type ShownNote = Pick<Note, 'id' | 'path' | 'content'>;

export interface FoundNote {
  readonly shown: ShownNote;
  /** The note as the server has it; null while the server cannot be reached. */
  readonly stored: Note | null;
  /** Whether its text waits here, in a document of its own. */
  readonly isDraft: boolean;
}

const AGAIN_MS = 5_000;

/**
 * The note: as the server has it, else as this device has it. Null if there is none, and `unreachable` if only the
 * server may have it. A note that was deleted stays as it was while it is shown, and for as long as this device has edits
 * of it: the editor offers to keep them.
 */
export function useFoundNote(vault: string, id: string): FoundNote | null | 'unreachable' {
  const isDraft = useObservable(outboxState).entries.length > 0 && draftOf(id) !== null;
  const read = useQuery({
    ...noteQuery(vault, id),
    enabled: !isDraft,
    refetchInterval: ({ state }) => (state.status === 'error' ? AGAIN_MS : false),
  });
  const { data: kept } = useSuspenseQuery(deviceNoteQuery(id));
  const queries = useQueryClient();
  const stored = read.data ?? null;
  const [known, setKnown] = useState(stored);
  if (stored !== null && stored !== known) setKnown(stored);
  const row = queries.getQueryData<VaultTree>(keys.tree(vault))?.notes.find((one) => one.id === id);
  if (isDraft) return { shown: { id, path: row?.path ?? kept?.path ?? '', content: '' }, stored: null, isDraft };
  if (stored !== null) return { shown: stored, stored, isDraft };
  if (known?.id === id) return { shown: known, stored: known, isDraft };
  const isGone = read.data === null || (read.error instanceof ApiError && read.error.status < 500);
  if (kept === null) return isGone ? null : 'unreachable';
  if (isGone && !kept.hasUnsent) return null;
  return { shown: { id, path: row?.path ?? kept.path ?? '', content: '' }, stored: null, isDraft };
}
