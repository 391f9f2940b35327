import { folderOf } from '@notevault/note-text/paths.ts';
import type { SyncChange } from '@notevault/protocol/sync.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import type { ChangedAttachment } from '../attachments/attachments.ts';
import type { GraphEdge } from '../links/links.ts';
import type { CachedNote, ChangedNote } from '../notes/notes.ts';

/** A row of the change feed, unsealed. */
export type ChangedRow =
  | { readonly type: 'note'; readonly row: ChangedNote }
  | { readonly type: 'attachment'; readonly row: ChangedAttachment };

/** Maps a row of the change feed to the wire; `texts` are the contents of live notes, if requested. */
export function toChange({ type, row }: ChangedRow, texts: ReadonlyMap<NoteId, string>): SyncChange {
  const { id, seq, deleted, mtime } = row;
  const updated_at = isoTime(row.updatedAt);
  if (type === 'attachment') {
    const { path, hash, mimeType, sizeBytes } = row;
    return {
      seq,
      type,
      id,
      path,
      content_hash: hash,
      deleted,
      mime_type: mimeType,
      size_bytes: sizeBytes,
      mtime,
      updated_at,
    };
  }
  const { path, hash, title } = row.meta;
  const content = texts.get(row.id);
  return {
    seq,
    type,
    id,
    path,
    content_hash: hash,
    deleted,
    title,
    folder: folderOf(path),
    mtime,
    version: row.version,
    updated_at,
    ...(content === undefined ? {} : { content }),
  };
}

/*
 * The rows of manifest and tree as JSON: ids, hashes and times need no escaping, and a general serializer takes several
 * times as long.
 */

export function manifestNoteJson({ id, path, hash, head, seq }: CachedNote): string {
  return `{"id":"${id}","path":${JSON.stringify(path)},"content_hash":"${hash}","crdt_head":"${head}","seq":${seq}}`;
}

export function manifestAttachmentJson({ id, path, hash, seq }: ChangedAttachment): string {
  return `{"id":"${id}","path":${JSON.stringify(path)},"content_hash":"${hash}","seq":${seq}}`;
}

export function graphNodeJson({ id, path, title }: CachedNote): string {
  return `{"id":"${id}","path":${JSON.stringify(path)},"title":${JSON.stringify(title)}}`;
}

export function graphEdgeJson([source, target]: GraphEdge): string {
  return `["${source}","${target}"]`;
}

export function treeNoteJson({ id, path, aliases, createdAt, updatedAt }: CachedNote): string {
  const times = `"created_at":"${isoTime(createdAt)}","updated_at":"${isoTime(updatedAt)}"`;
  // Few notes have any.
  const names = aliases.length === 0 ? '' : `,"aliases":${JSON.stringify(aliases)}`;
  return `{"id":"${id}","path":${JSON.stringify(path)},${times}${names}}`;
}

export function treeAttachmentJson({ id, path, sizeBytes, mtime, updatedAt, mimeType }: ChangedAttachment): string {
  return JSON.stringify({
    id,
    path,
    size_bytes: sizeBytes,
    mtime,
    updated_at: isoTime(updatedAt),
    mime_type: mimeType,
  });
}
