import { folderOf } from '@notevault/note-text/paths.ts';
import { invalid } from '@notevault/protocol/errors.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import { isoTime } from '@notevault/protocol/time.ts';
import type { ReadHandle } from '../../engines/database/database.ts';
import type { ChangedAttachment } from '../attachments/attachments.ts';
import type { ChangedNote } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { appliedBy, cursorOf, type Position, positionOf } from './cursor.ts';
import { recordWatermark } from './devices.ts';
import type { SyncParts } from './parts.ts';
import type { SyncChange, SyncChanges } from './sync.schema.ts';

/** A page as a request asks for it. */
export interface PageQuery {
  readonly cursor?: string;
  readonly limit?: string;
  readonly fields?: string;
}

export interface PageAsked {
  /** Where to go on; absent: before the first row. */
  readonly cursor: string | null;
  readonly limit: number;
  /** Whether live notes come with their content. */
  readonly content: boolean;
}

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;
/** Content of one page: past it a page ends, but for its first note. */
const PAGE_BYTES = 8 * 1024 * 1024;

const START = 0 as Seq;

/** What a request asks for. Throws a validation error. */
export function pageAsked(query: PageQuery): PageAsked {
  const { cursor = '', limit = `${PAGE_DEFAULT}`, fields = 'meta' } = query;
  if (!/^[+-]?\d+$/.test(limit)) throw invalid({ limit: ['must be an integer'] });
  if (fields !== 'meta' && fields !== 'all') throw invalid({ fields: ['must be meta or all'] });
  return {
    // Clients without one tend to send it empty.
    cursor: cursor === '' ? null : cursor,
    limit: Math.min(Math.max(Number(limit), 1), PAGE_MAX),
    content: fields === 'all',
  };
}

type Row =
  | { readonly type: 'note'; readonly row: ChangedNote }
  | { readonly type: 'attachment'; readonly row: ChangedAttachment };

/** One page of a vault's changes. Throws `invalid_cursor`, `history_expired`, `note_unreadable`, `attachment_unreadable`. */
export async function changesPage(
  parts: SyncParts,
  vault: OpenVault,
  asked: PageAsked,
  device: string | null,
): Promise<SyncChanges> {
  const { from, rows, hasMore, texts } = await parts.db.read(async (handle) => {
    const feed = await parts.vaults.feed(handle, vault);
    const from = asked.cursor === null ? { seq: START, base: feed.floorSeq } : positionOf(vault, asked.cursor, feed);
    const all = await rowsAfter(parts, handle, vault, from.seq, asked.limit + 1);
    const rows = all.slice(0, asked.content ? fitting(all, asked.limit) : asked.limit);
    const texts = asked.content ? await parts.notes.textsOf(handle, vault, rows.flatMap(liveNote)) : new Map();
    return { from, rows, hasMore: rows.length < all.length, texts };
  });
  // Only now: a cursor that was refused is none that the device has applied.
  if (asked.cursor !== null && device !== null) {
    await recordWatermark(parts, vault, device, appliedBy(from));
  }
  const last: Position = { seq: rows.at(-1)?.row.seq ?? from.seq, base: from.base };
  const resume = cursorOf(vault, last);
  return {
    changes: rows.map((row) => changeOf(row, texts)),
    has_more: hasMore,
    next_cursor: hasMore ? resume : null,
    resume_cursor: resume,
  };
}

/**
 * The first rows of both kinds after a seq. Each kind gives as many as the page could take in all, so that among the first
 * of both none is missing.
 */
async function rowsAfter(
  { notes, attachments }: SyncParts,
  handle: ReadHandle,
  vault: OpenVault,
  after: Seq,
  limit: number,
): Promise<Row[]> {
  const ofNotes = await notes.changedAfter(handle, vault, after, limit);
  const ofFiles = await attachments.changedAfter(handle, vault, after, limit);
  const all = [
    ...ofNotes.map((row) => ({ type: 'note', row }) as const),
    ...ofFiles.map((row) => ({ type: 'attachment', row }) as const),
  ];
  return all.sort((a, b) => a.row.seq - b.row.seq).slice(0, limit);
}

/** How many of the first `limit` rows fit into a page with their content: at least one. */
function fitting(rows: readonly Row[], limit: number): number {
  let bytes = 0;
  const tooMuch = rows.findIndex((row, index) => {
    bytes += liveNote(row).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return index > 0 && bytes > PAGE_BYTES;
  });
  return tooMuch === -1 ? limit : Math.min(tooMuch, limit);
}

function liveNote({ type, row }: Row): ChangedNote[] {
  return type === 'note' && !row.deleted ? [row] : [];
}

function changeOf({ type, row }: Row, texts: ReadonlyMap<NoteId, string>): SyncChange {
  const { id, seq, deleted, mtime } = row;
  const updated_at = isoTime(row.updatedAt);
  if (type === 'attachment') {
    const { path, hash, mimeType, sizeBytes } = row;
    return {
      ...{ seq, type, id, path, content_hash: hash, deleted, mime_type: mimeType, size_bytes: sizeBytes, mtime },
      updated_at,
    };
  }
  const { path, hash, title } = row.meta;
  const content = texts.get(row.id);
  return {
    ...{ seq, type, id, path, content_hash: hash, deleted, title, folder: folderOf(path), mtime },
    ...{ version: row.version, updated_at },
    ...(content === undefined ? {} : { content }),
  };
}
