import type { GaveWay } from '@notevault/note-text/merge/merge-note.ts';
import { folderOf, normalizeNotePath } from '@notevault/note-text/paths.ts';
import type { Note, NoteLink, NoteListed, NoteUpserted, NoteVersion } from '@notevault/protocol/notes.ts';
import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import type { OpenedValues } from '../../../ports/keyring/opened-values.ts';
import type { FeedEntry } from '../entries/entries.ts';
import { pathFrom } from '../entries/request-paths.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type CachedNote, openListed } from './note-cache.ts';
import type { ReadNote, StoredNote } from './notes.store.ts';
import { type NoteMeta, sealed, type VersionMeta } from './sealed-note.ts';

export type OpenedNote<Row extends ReadNote = StoredNote> = Omit<Row, 'meta' | 'content'> & {
  readonly meta: NoteMeta;
  readonly content: string;
};

/** Throws `note_unreadable`. */
export function openNote<Row extends ReadNote>(
  vault: OpenVault,
  row: Row,
  opened?: OpenedValues<NoteMeta>,
): OpenedNote<Row> {
  const open = () => sealed.openMeta(vault, row.id, row.revision, row.meta);
  const meta = opened === undefined ? open() : opened.open(vault.key, row.id, row.revision, row.meta, open);
  return { ...row, meta, content: sealed.openContent(vault, row.id, row.version, row.content) };
}

export function toNote(note: Omit<OpenedNote<ReadNote>, 'revision'>, links: readonly NoteLink[]): Note {
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
    parse_status: meta.parseStatus,
    ...(meta.parseFault === null ? {} : { parse_reason: meta.parseFault }),
    links: [...links],
  };
}

/** Maximum number of values that an answer names. */
const MERGED_MAX = 20;

/** Returns the field that names the stored values that a merge replaced; none without any. */
export function mergedOf(gaveWay: readonly GaveWay[]): Pick<NoteUpserted, 'merged'> {
  if (gaveWay.length === 0) return {};
  return { merged: gaveWay.slice(0, MERGED_MAX).map(({ isLink: _, ...each }) => each) };
}

export function toListed(vault: OpenVault, row: FeedEntry): NoteListed {
  return cachedToListed(openListed(vault, row));
}

export function cachedToListed(note: CachedNote): NoteListed {
  const { id, path, title, tags, version, hash, mtime } = note;
  return {
    id,
    path,
    title,
    folder: folderOf(path),
    tags: [...tags],
    version,
    content_hash: hash,
    mtime,
    created_at: isoTime(note.createdAt),
    updated_at: isoTime(note.updatedAt),
  };
}

export function toVersion(
  { version, created_at, size_bytes }: { version: number; created_at: number; size_bytes: number },
  { hash, reason, actor }: VersionMeta,
): Omit<NoteVersion, 'actor'> & { readonly actor: VersionMeta['actor'] } {
  return { version, content_hash: hash, created_at: isoTime(created_at), size_bytes, reason, actor };
}

/** Normalizes a note path from a request. Throws a validation error on `field`. */
export function notePathOf(raw: string, field = 'path'): string {
  return pathFrom(raw, field, normalizeNotePath);
}
