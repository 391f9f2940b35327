import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import type { CachedCollection, CachedRow, OpenVault } from '../vaults/vaults.ts';
import * as store from './change-feed.store.ts';
import type { StoredRow } from './notes.store.ts';
import { type NoteMeta, sealed } from './sealed-note.ts';

/** A live note as it is cached in memory: what lists, tags and manifests say of it. */
export interface CachedNote extends CachedRow, Pick<NoteMeta, 'title' | 'tags' | 'type' | 'hash' | 'head'> {
  readonly id: NoteId;
  readonly seq: Seq;
  readonly version: number;
  readonly folderId: string | null;
  readonly mtime: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a row and its short texts take beside the letters of path, title and tags: measured. */
const ROW_BYTES = 560;
const TAG_BYTES = 32;

export const cachedNotes: CachedCollection<CachedNote> = {
  name: 'notes 1',
  async changed(handle, vault, after, limit) {
    const rows = await handle.all(store.findChangedAfter, { vault: vault.id, after, limit });
    return rows.map((row) => {
      const { id, seq, deleted_at } = row;
      return { id, seq: seq as Seq, row: deleted_at === null ? open(vault, row) : null };
    });
  },
  async liveSeqs(handle, vault, after, limit) {
    const places = await handle.all(store.findLiveSeqs, { vault: vault.id, after, limit });
    return places.map(({ seq }) => seq as Seq);
  },
  async rowsAt(handle, vault, seqs) {
    const rows = await handle.allMany(store.findLiveAt, { vault: vault.id }, seqs);
    return rows.map((row) => open(vault, row));
  },
  bytesOf: ({ path, title, tags, type }) =>
    ROW_BYTES +
    path.length +
    title.length +
    (type?.length ?? 0) +
    tags.reduce((sum, tag) => sum + TAG_BYTES + tag.length, 0),
};

/** Throws `note_unreadable`. */
function open(vault: OpenVault, row: StoredRow): CachedNote {
  const { path, title, tags, type, hash, head } = sealed.openMeta(vault, row.id, row.revision, row.meta);
  return {
    ...{ id: row.id as NoteId, path, title, tags, type, hash, head },
    ...{ seq: row.seq as Seq, version: row.version, folderId: row.folder_id, mtime: row.mtime },
    ...{ createdAt: row.created_at, updatedAt: row.updated_at },
  };
}
