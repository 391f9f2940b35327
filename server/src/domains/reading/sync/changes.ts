import { timingSafeEqual } from 'node:crypto';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { ChangesQuery } from '@notevault/protocol/sync.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { NoteId, Seq } from '@notevault/protocol/values/ids.ts';
import { jsonPieces } from '../../../concurrency/json-pieces.ts';
import { slicesBySize } from '../../../concurrency/slices.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import { type Database, DatabaseError, type ReadHandle, type WriteHandle } from '../../../ports/database/database.ts';
import type { Actor, FeedEntry } from '../../content/entries/entries.ts';
import type { ChangedNote } from '../../content/notes/notes.ts';
import type { FeedState, OpenVault } from '../../content/vaults/vaults.ts';
import { includesRole } from '../../foundation/access/access.ts';
import { type JsonEntry, writeJsonList, writeJsonObject } from './json-writer.ts';
import { type ChangedRow, changeJson, type DamagedRow, damagedJson } from './sync.mapper.ts';
import * as store from './sync.store.ts';
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

/** Returns one page of changes as JSON; damaged rows by id only. Throws `invalid_cursor`, `history_expired`. */
export async function changesPage(deps: SyncDeps, vault: OpenVault, request: PageRequest, device: string | null) {
  const { from, rows, hasMore, more, changeSeq } = await deps.db.read(async (handle) => {
    const feed = await deps.vaults.feed(handle, vault);
    const from =
      request.cursor === null ? { seq: START, base: feed.floorSeq } : positionOf(vault, request.cursor, feed);
    const all = await rowsAfter(deps, handle, vault, from.seq, request.limit + 1);
    const rows = request.content ? fitPage(all, request.limit) : all.slice(0, request.limit);
    const more = request.content ? await contentOf(deps, handle, vault, rows) : null;
    return { from, rows, hasMore: rows.length < all.length, more, changeSeq: feed.changeSeq };
  });
  // Only after the cursor was accepted: a refused one does not show what the device has applied.
  if (request.cursor !== null && device !== null) {
    await recordWatermark(deps, vault, device, appliedBy(from));
  }
  const resume = cursorOf(vault, { seq: rows.at(-1)?.row.seq ?? from.seq, base: from.base });
  const access = vault.isSuspended === true ? 'write' : vault.permission;
  const position = { next_cursor: hasMore ? resume : null, resume_cursor: resume, change_seq: changeSeq };
  const fields = { has_more: hasMore, ...position, access };
  return writeJsonObject(fields, [
    await writeJsonList('changes', rows, (row) => withContent(row, more, hidesDeleted(vault))),
  ]);
}

/** Whether deletions are shown by id only, as for all who cannot read the trash. */
const hidesDeleted = ({ role }: OpenVault): boolean => !includesRole(role, 'editor');

interface PageContent {
  /** The texts of live notes; one that is not here is damaged. */
  readonly texts: ReadonlyMap<NoteId, string>;
  /** The last actor of each row, as JSON; rows from before actors were stored have none. */
  readonly actors: ReadonlyMap<string, string>;
}

/** Sent together: who changed something costs no round trip. */
async function contentOf({ notes, vaults }: SyncDeps, handle: ReadHandle, vault: OpenVault, rows: readonly FeedRow[]) {
  const changed = rows.flatMap((feed) => {
    const isHidden = 'unreadable' in feed || (feed.row.deleted && hidesDeleted(vault));
    const actor = isHidden ? undefined : actorOf(feed);
    return actor === undefined ? [] : [{ id: feed.row.id as string, actor }];
  });
  const [texts, shown] = await Promise.all([
    notes.readableTextsOf(handle, vault, rows.flatMap(liveNote)),
    vaults.withActors(vault, changed, handle),
  ]);
  return { texts, actors: new Map(shown.map(({ id, actor }) => [id, JSON.stringify(actor)])) };
}

function actorOf({ type, row }: ChangedRow): Actor | undefined {
  if (type === 'attachment') return row.actor;
  const { actor, movedActor, deletedActor } = row.meta;
  return (row.deleted ? deletedActor : movedActor) ?? actor;
}

/** Writes a row, in pieces if it is long. @param more its content and its people; null if not requested. */
function withContent(row: FeedRow, more: PageContent | null, isHiding: boolean): JsonEntry {
  if ('unreadable' in row) return damagedJson(row);
  const actor = more?.actors.get(row.row.id);
  const change = changeJson(row, isHiding);
  const json = actor === undefined ? change : `${change.slice(0, -1)},"actor":${actor}}`;
  const [note] = liveNote(row);
  if (more === null || note === undefined) return json;
  const content = more.texts.get(note.id);
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

/** Returns those of the first `limit` rows that fit into a page with their content: at least one. */
function fitPage(rows: readonly FeedRow[], limit: number): FeedRow[] {
  const sizeOf = (row: FeedRow) => liveNote(row)[0]?.sizeBytes ?? 0;
  const [page = []] = slicesBySize(rows, { count: limit, bytes: PAGE_BYTES }, sizeOf);
  return page;
}

function liveNote(feed: FeedRow): ChangedNote[] {
  return 'unreadable' in feed || feed.type !== 'note' || feed.row.deleted ? [] : [feed.row];
}

interface Position {
  /** The seq of the last row read; 0 before the first. */
  readonly seq: Seq;
  /**
   * The vault's floor when the reader started from the beginning, else 0. Tombstones up to it were already dropped, and
   * the reader cannot have their rows.
   */
  readonly base: Seq;
}

/** The seq up to which tombstones may be dropped for a reader: it has applied them or never had their rows. */
function appliedBy({ seq, base }: Position): Seq {
  return seq > base ? seq : base;
}

const FORMAT = 1;
/** Format (1 byte), feed epoch (4), seq (8), base (8); then the MAC. */
const BODY_BYTES = 21;
const MAC_BYTES = 12;
const TEXT_LENGTH = ((BODY_BYTES + MAC_BYTES) * 4) / 3;

/** Returns the cursor of a reader that has every row up to a seq. */
export function cursorAfter(vault: OpenVault, seq: Seq): string {
  return cursorOf(vault, { seq, base: START });
}

/** Returns the position as an opaque cursor, valid only for this vault. */
function cursorOf(vault: OpenVault, { seq, base }: Position): string {
  const body = Buffer.alloc(BODY_BYTES);
  body.writeUInt8(FORMAT, 0);
  body.writeUInt32BE(vault.feedEpoch, 1);
  body.writeBigUInt64BE(BigInt(seq), 5);
  body.writeBigUInt64BE(BigInt(base), 13);
  return Buffer.concat([body, macOf(vault, body)]).toString('base64url');
}

/**
 * Returns the position of a client's cursor. Throws `invalid_cursor` for a cursor that this vault did not issue, and
 * `history_expired` for a position after which changes may be missing.
 */
function positionOf(vault: OpenVault, cursor: string, { changeSeq, floorSeq }: FeedState): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding ignores invalid base64 characters: only the exact text that was issued is accepted.
  if (cursor.length !== TEXT_LENGTH || bytes.toString('base64url') !== cursor)
    throw new NotevaultError('invalid_cursor');
  const body = bytes.subarray(0, BODY_BYTES);
  if (!timingSafeEqual(bytes.subarray(BODY_BYTES), macOf(vault, body))) throw new NotevaultError('invalid_cursor');
  const [seq, base] = [Number(body.readBigUInt64BE(5)) as Seq, Number(body.readBigUInt64BE(13)) as Seq];
  const position = { seq, base };
  const expired = body.readUInt32BE(1) !== vault.feedEpoch || seq > changeSeq || appliedBy(position) < floorSeq;
  if (expired) throw new NotevaultError('history_expired');
  return position;
}

function macOf(vault: OpenVault, body: Buffer): Buffer {
  return vault.key.mac('feed cursor', body.toString('latin1')).subarray(0, MAC_BYTES);
}

const HOUR_MS = 60 * 60 * 1000;
/** Maximum number of devices of a person in a vault; a reinstalled client counts as a new device. */
const DEVICES_MAX = 1000;

/**
 * Records that a device has durably applied every change up to `watermark`. Written when the watermark moved or the
 * last record is an hour old. Beyond DEVICES_MAX, the devices not seen for the longest time are removed.
 */
async function recordWatermark(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  vault: OpenVault,
  deviceId: string,
  watermark: Seq,
): Promise<void> {
  const key = { vault_id: vault.id, user_id: vault.callerId, device_key: vault.key.blind('device', deviceId) };
  const now = clock.now();
  const known = await db.get(store.findDevice, key);
  if (known?.watermark === watermark && Math.abs(now - known.seen_at) < HOUR_MS) return;
  try {
    await db.transact(async (handle) => {
      await handle.run(store.putDevice, { ...key, watermark, seen_at: now });
      if (known === undefined) await deleteOldest(handle, vault);
    });
  } catch (error) {
    // On a full disk the feed can still be read: an older watermark only keeps tombstones for longer.
    if (!(error instanceof DatabaseError && error.full)) throw error;
  }
}

async function deleteOldest(handle: WriteHandle, vault: OpenVault): Promise<void> {
  const ofPerson = { vault_id: vault.id, user_id: vault.callerId };
  for (const { device_key } of await handle.all(store.findOldDevices, { ...ofPerson, kept: DEVICES_MAX })) {
    await handle.run(store.deleteDevice, { ...ofPerson, device_key });
  }
}
