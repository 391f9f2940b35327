import { folderOf, normalizeNotePath, PathError } from '@notevault/note-text/paths.ts';
import { invalid } from '@notevault/protocol/errors.ts';
import { isoTime, isoTimeOrNull } from '../../http/schemas.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type NoteMeta, sealed } from './meta.ts';
import type { Note, NoteLink } from './notes.schema.ts';
import type { StoredNote } from './notes.store.ts';

/** A note's row with its sealed parts open. */
export interface OpenedNote extends Omit<StoredNote, 'meta' | 'content'> {
  readonly meta: NoteMeta;
  readonly content: string;
}

/** Throws `note_unreadable`. */
export function openNote(vault: OpenVault, row: StoredNote): OpenedNote {
  const meta = sealed.openMeta(vault, row.id, row.stamp, row.meta);
  return { ...row, meta, content: sealed.openContent(vault, row.id, row.version, row.content) };
}

/** A note as clients see it. */
export function toNote(
  note: Omit<OpenedNote, 'stamp' | 'path_key' | 'folder_id' | 'deleted_at'>,
  links: readonly NoteLink[],
): Note {
  const { meta } = note;
  return {
    id: note.id,
    path: meta.path,
    content: note.content,
    content_hash: meta.hash,
    title: meta.title,
    folder: folderOf(meta.path),
    tags: [...meta.tags],
    mtime: note.mtime,
    created_at: isoTime(note.created_at),
    updated_at: isoTime(note.updated_at),
    version: note.version,
    seq: note.seq,
    description: meta.description,
    fm_created: isoTimeOrNull(meta.created),
    fm_timestamp: isoTimeOrNull(meta.timestamp),
    resource: meta.resource,
    type: meta.type,
    parse_status: meta.status,
    ...(meta.fault === null ? {} : { parse_reason: meta.fault }),
    links: [...links],
  };
}

/** The stored form of a note path from a request. Throws a validation error on `path`. */
export function notePathOf(raw: string): string {
  try {
    return normalizeNotePath(raw);
  } catch (error) {
    if (error instanceof PathError) throw invalid({ path: [error.reason] });
    throw error;
  }
}
