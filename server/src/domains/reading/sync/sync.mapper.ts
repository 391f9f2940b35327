import { folderOf } from '@notevault/note-text/paths.ts';
import type { Seq } from '@notevault/protocol/values/ids.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import type { ChangedAttachment } from '../../content/attachments/attachments.ts';
import type { Actor } from '../../content/entries/entries.ts';
import type { GraphEdge } from '../../content/links/links.ts';
import type { CachedNote, ChangedNote } from '../../content/notes/notes.ts';

export type ChangedRow =
  | { readonly type: 'note'; readonly row: ChangedNote }
  | { readonly type: 'attachment'; readonly row: ChangedAttachment & { readonly actor?: Actor } };

export interface DamagedRow {
  readonly type: ChangedRow['type'];
  readonly row: { readonly id: string; readonly seq: Seq };
  readonly unreadable: true;
}

export function damagedJson({ type, row: { id, seq } }: DamagedRow): string {
  return `{"seq":${seq},"type":"${type}","id":"${id}","unreadable":true}`;
}

/*
 * The rows of changes, manifest and tree as JSON: ids, hashes and times need no escaping, and a general serializer takes
 * several times as long.
 */

/** Writes a row without a note's content. @param hidesDeleted whether a deletion has only its id. */
export function changeJson({ type, row }: ChangedRow, hidesDeleted: boolean): string {
  const { id, seq, deleted, mtime } = row;
  const isHidden = hidesDeleted && deleted;
  const { path, hash } = isHidden ? { path: '', hash: '' } : type === 'note' ? row.meta : row;
  const entry = `"seq":${seq},"type":"${type}","id":"${id}","path":${JSON.stringify(path)},"content_hash":"${hash}"`;
  const times = `"deleted":${deleted},"mtime":${mtime},"updated_at":"${isoTime(row.updatedAt)}"`;
  if (type === 'attachment') {
    const { mimeType, sizeBytes } = isHidden ? { mimeType: '', sizeBytes: 0 } : row;
    return `{${entry},${times},"mime_type":${JSON.stringify(mimeType)},"size_bytes":${sizeBytes}}`;
  }
  const title = isHidden ? '' : row.meta.title;
  const names = `"title":${JSON.stringify(title)},"folder":${JSON.stringify(folderOf(path))}`;
  return `{${entry},${times},${names},"version":${row.version}}`;
}

export function manifestNoteJson({ id, path, hash, head, seq }: CachedNote): string {
  return `{"id":"${id}","path":${JSON.stringify(path)},"content_hash":"${hash}","crdt_head":"${head}","seq":${seq}}`;
}

export function manifestAttachmentJson({ id, path, hash, seq }: ChangedAttachment): string {
  return `{"id":"${id}","path":${JSON.stringify(path)},"content_hash":"${hash}","seq":${seq}}`;
}

export function graphNodeJson({ id, path, title, tags }: CachedNote): string {
  const tagged = tags.length === 0 ? '' : `,"tags":${JSON.stringify(tags)}`;
  return `{"id":"${id}","path":${JSON.stringify(path)},"title":${JSON.stringify(title)}${tagged}}`;
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
