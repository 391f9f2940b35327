import type { NoteId, Seq } from '@notevault/protocol/values/ids.ts';
import { cachedEntries } from '../entries/cached-entries.ts';
import type { FeedEntry } from '../entries/entries.ts';
import type { CachedRow, OpenVault } from '../vaults/vaults.ts';
import { type NoteMeta, sealed } from './sealed-note.ts';

/** A live note as cached in memory: the data of lists, tags and manifests. */
export interface CachedNote extends CachedRow, Pick<NoteMeta, 'title' | 'tags' | 'aliases' | 'type' | 'hash' | 'head'> {
  readonly id: NoteId;
  readonly seq: Seq;
  readonly version: number;
  readonly folderId: string | null;
  readonly mtime: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Measured memory of a row, without its path, title, tags and aliases. */
const ROW_BYTES = 560;
const TEXT_BYTES = 32;

/** Throws `note_unreadable`. */
export function openListed(vault: OpenVault, row: FeedEntry): CachedNote {
  const { path, title, tags, aliases, type, hash, head } = sealed.openMeta(vault, row.id, row.revision, row.meta);
  return {
    id: row.id as NoteId,
    path,
    title,
    tags,
    aliases,
    type,
    hash,
    head,
    seq: row.seq as Seq,
    version: row.version ?? 0,
    folderId: row.parent_id,
    mtime: row.mtime,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export const cachedNotes = cachedEntries<CachedNote>({
  kind: 'note',
  open: openListed,
  bytesOf({ path, title, tags, aliases, type }) {
    let bytes = ROW_BYTES + path.length + title.length + (type?.length ?? 0);
    for (const tag of tags) bytes += TEXT_BYTES + tag.length;
    for (const alias of aliases) bytes += TEXT_BYTES + alias.length;
    return bytes;
  },
});
