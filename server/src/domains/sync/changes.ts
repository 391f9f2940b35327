import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { ChangesQuery } from '@notevault/protocol/sync.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { NoteId, Seq } from '@notevault/protocol/values/ids.ts';
import { jsonPieces } from '../../concurrency/json-pieces.ts';
import { createYield } from '../../concurrency/yield.ts';
import type { ReadHandle } from '../../ports/database/database.ts';
import type { FeedEntry } from '../entries/entries.ts';
import type { ChangedNote } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { appliedBy, cursorOf, type Position, positionOf } from './cursor.ts';
import { recordWatermark } from './device-watermarks.ts';
import { type JsonEntry, writeJsonList, writeJsonObject } from './json-writer.ts';
import { type ChangedRow, changeJson, type DamagedRow, damagedJson } from './sync.mapper.ts';
import type { SyncDeps } from './sync.ts';

type FeedRow = ChangedRow | DamagedRow;

export interface PageRequest {
  /** The cursor to continue from; null for the start. */
  readonly cursor: string | null;
  readonly limit: number;
  /** Whether live notes include their content. */
  readonly content: boolean;
}

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;
/** Content from this length on is written in pieces, between which other work runs. */
const LONG_CHARS = 64 * 1024;
/** Rows that are unsealed between two yields to the event loop. */
const ROWS_PER_YIELD = 16;
/** Maximum content of one page; the first note is always included. */
const PAGE_BYTES = 8 * MB;

const START = 0 as Seq;

/** Parses the query of a request. Throws a validation error. */
export function pageRequest(query: ChangesQuery): PageRequest {
  const { cursor = '', limit = `${PAGE_DEFAULT}`, fields = 'meta' } = query;
  if (!/^[+-]?\d+$/.test(limit)) throw invalid({ limit: ['must be an integer'] });
  if (fields !== 'meta' && fields !== 'all') throw invalid({ fields: ['must be meta or all'] });
  return {
    // Clients without a cursor tend to send an empty one.
    cursor: cursor === '' ? null : cursor,
    limit: Math.min(Math.max(Number(limit), 1), PAGE_MAX),
    content: fields === 'all',
  };
}

/**
 * Returns one page of a vault's changes as JSON, ready to send; of a damaged row it tells only that. Throws
 * `invalid_cursor`, `history_expired`.
 */
export async function changesPage(
  deps: SyncDeps,
  vault: OpenVault,
  request: PageRequest,
  device: string | null,
): Promise<readonly Buffer[]> {
  const { from, rows, hasMore, texts } = await deps.db.read(async (handle) => {
    const feed = await deps.vaults.feed(handle, vault);
    const from =
      request.cursor === null ? { seq: START, base: feed.floorSeq } : positionOf(vault, request.cursor, feed);
    const all = await rowsAfter(deps, handle, vault, from.seq, request.limit + 1);
    const rows = all.slice(0, request.content ? fitPage(all, request.limit) : request.limit);
    const texts = request.content ? await deps.notes.readableTextsOf(handle, vault, rows.flatMap(liveNote)) : null;
    return { from, rows, hasMore: rows.length < all.length, texts };
  });
  // Only after the cursor was accepted: a refused cursor says nothing about what the device has applied.
  if (request.cursor !== null && device !== null) {
    await recordWatermark(deps, vault, device, appliedBy(from));
  }
  const last: Position = { seq: rows.at(-1)?.row.seq ?? from.seq, base: from.base };
  const resume = cursorOf(vault, last);
  const fields = { has_more: hasMore, next_cursor: hasMore ? resume : null, resume_cursor: resume };
  return writeJsonObject(fields, [await writeJsonList('changes', rows, (row) => withContent(row, texts))]);
}

/**
 * Writes a row with its content, if that was requested: one that is long, in pieces.
 *
 * @param texts null when it was not requested; a live note that is not in it has a damaged text.
 */
function withContent(row: FeedRow, texts: ReadonlyMap<NoteId, string> | null): JsonEntry {
  if ('unreadable' in row) return damagedJson(row);
  const json = changeJson(row);
  const [note] = liveNote(row);
  if (texts === null || note === undefined) return json;
  const content = texts.get(note.id);
  if (content === undefined) return damagedJson({ type: 'note', row: note, unreadable: true });
  const head = `${json.slice(0, -1)},"content":`;
  return content.length < LONG_CHARS ? `${head}${JSON.stringify(content)}}` : longEntry(head, content);
}

async function longEntry(head: string, content: string): Promise<Buffer[]> {
  return [Buffer.from(head), ...(await jsonPieces(content)), Buffer.from('}')];
}

async function rowsAfter(
  { entries, notes, attachments }: SyncDeps,
  handle: ReadHandle,
  vault: OpenVault,
  after: Seq,
  limit: number,
): Promise<FeedRow[]> {
  const yieldIfDue = createYield();
  const rows: FeedRow[] = [];
  for (const row of await entries.changedAfter(handle, vault, after, limit)) {
    if (rows.length % ROWS_PER_YIELD === 0) await yieldIfDue();
    rows.push(
      orDamaged(row, () =>
        row.kind === 'note'
          ? { type: 'note', row: notes.changed(vault, row) }
          : { type: 'attachment', row: attachments.changed(vault, row) },
      ),
    );
  }
  return rows;
}

function orDamaged({ id, seq, kind }: FeedEntry, open: () => ChangedRow): FeedRow {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof NotevaultError) || error.code !== `${kind}_unreadable`) throw error;
    return { type: kind === 'note' ? 'note' : 'attachment', row: { id, seq: seq as Seq }, unreadable: true };
  }
}

/** Returns how many of the first `limit` rows fit into a page with their content: at least one. */
function fitPage(rows: readonly FeedRow[], limit: number): number {
  let bytes = 0;
  const tooMuch = rows.findIndex((row, index) => {
    bytes += liveNote(row).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return index > 0 && bytes > PAGE_BYTES;
  });
  return tooMuch === -1 ? limit : Math.min(tooMuch, limit);
}

function liveNote(feed: FeedRow): ChangedNote[] {
  return 'unreadable' in feed || feed.type !== 'note' || feed.row.deleted ? [] : [feed.row];
}
