import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, Seq } from '@notevault/protocol/values/ids.ts';
import { slicesBySize } from '../../../concurrency/slices.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { Entries, FeedEntry } from '../entries/entries.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './notes.store.ts';
import { type NoteMeta, sealed } from './sealed-note.ts';

/** A note of the change feed; a tombstone's `meta` is that of the deleted note. */
export interface ChangedNote {
  readonly id: NoteId;
  readonly seq: Seq;
  readonly version: number;
  /** The mtime from the client, epoch seconds. */
  readonly mtime: number;
  /** UTF-8 bytes of the content. */
  readonly sizeBytes: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deleted: boolean;
  readonly meta: NoteMeta;
}

/** Like ChangedNote, but sealed, for another thread. */
export interface SealedNote {
  readonly id: NoteId;
  readonly seq: Seq;
  readonly revision: number;
  readonly version: number;
  readonly deleted: boolean;
  /** File metadata: times in epoch milliseconds, size in UTF-8 bytes. */
  readonly file: {
    readonly created: number;
    readonly modified: number;
    readonly changed: number;
    readonly size: number;
  };
  readonly meta: Uint8Array;
  /** Null for tombstones. */
  readonly content: Uint8Array | null;
}

type TextToRead = Pick<ChangedNote, 'id' | 'version' | 'sizeBytes'>;

async function withTexts(handle: ReadHandle, vault: OpenVault, rows: readonly FeedEntry[]): Promise<SealedNote[]> {
  const live = rows.filter(({ deleted_at }) => deleted_at === null).map(({ id }) => id);
  const bodies = await handle.allMany(store.findContents, { vault_id: vault.id }, live);
  const contents = new Map(bodies.map(({ note_id, content }) => [note_id, content]));
  return rows.map(({ id, seq, revision, version, deleted_at, meta, created_at, updated_at, mtime, size_bytes }) => ({
    id: id as NoteId,
    seq: seq as Seq,
    revision,
    version: version ?? 0,
    deleted: deleted_at !== null,
    file: { created: created_at, modified: timeOf(mtime), changed: updated_at, size: size_bytes },
    meta,
    content: contents.get(id) ?? null,
  }));
}

/** The latest time that a date can have. */
const TIME_MAX = 8.64e15;

/** Epoch milliseconds of an mtime, which is any number of seconds. */
function timeOf(mtime: number): number {
  return Math.min(TIME_MAX, Math.max(-TIME_MAX, Math.round(mtime * 1000)));
}

export function createNoteChangeFeed(entries: Pick<Entries, 'changedOf' | 'rowsById'>) {
  return {
    changed: changedNote,
    readableTextsOf,
    /**
     * Returns the first `limit` notes and tombstones written after `after`, sealed and with their texts: up to `bytes`
     * of text, at least one if there is any. `more` tells whether others follow.
     */
    async sealedAfter(
      handle: ReadHandle,
      vault: OpenVault,
      after: Seq,
      { limit, bytes }: { readonly limit: number; readonly bytes: number },
    ): Promise<{ notes: SealedNote[]; more: boolean }> {
      const rows = await entries.changedOf(handle, vault, 'note', after, limit);
      const sizeOf = ({ size_bytes, deleted_at }: FeedEntry) => (deleted_at === null ? size_bytes : 0);
      const [page = []] = slicesBySize(rows, { bytes }, sizeOf);
      return { notes: await withTexts(handle, vault, page), more: page.length < rows.length || rows.length === limit };
    },
    /** Returns live notes with their texts, sealed and unordered. */
    async sealedOf(handle: ReadHandle, vault: OpenVault, ids: readonly NoteId[]): Promise<SealedNote[]> {
      return withTexts(handle, vault, await entries.rowsById(handle, vault.id, 'note', ids));
    },
  };
}

/** Unseals a note or tombstone of the change feed. Throws `note_unreadable`. */
function changedNote(vault: OpenVault, row: FeedEntry): ChangedNote {
  return {
    id: row.id as NoteId,
    seq: row.seq as Seq,
    version: row.version ?? 0,
    mtime: row.mtime,
    sizeBytes: row.size_bytes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deleted: row.deleted_at !== null,
    meta: sealed.openMeta(vault, row.id, row.revision, row.meta),
  };
}

/** Returns the readable texts of live notes in the same snapshot, by id. */
async function readableTextsOf(handle: ReadHandle, vault: OpenVault, notes: readonly TextToRead[]) {
  const yieldIfDue = createYield();
  const texts = new Map<NoteId, string>();
  for (const slice of slicesBySize(notes, TEXTS, ({ sizeBytes }) => sizeBytes)) {
    const versions = new Map(slice.map((note) => [note.id as string, note.version]));
    await yieldIfDue();
    for (const { note_id: id, content } of await handle.allMany(store.findContents, { vault_id: vault.id }, [
      ...versions.keys(),
    ])) {
      await yieldIfDue();
      const text = readable(() => sealed.openContent(vault, id, versions.get(id) ?? 0, content));
      if (text !== null) texts.set(id as NoteId, text);
    }
  }
  return texts;
}

/** Returns null instead of throwing for a damaged value. */
function readable<Opened>(open: () => Opened): Opened | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof NotevaultError && error.code === 'note_unreadable') return null;
    throw error;
  }
}

/** Maximum number of texts per read: on SQLite a read blocks the event loop. */
const TEXTS = { count: 100, bytes: 512 * 1024 };
