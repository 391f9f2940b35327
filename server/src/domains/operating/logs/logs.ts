import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { LogEntry, LogRecord, LogsQuery } from '@notevault/protocol/logs.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import { Type } from 'typebox';
import type { Clock } from '../../../ports/clock/clock.ts';
import { type Database, deleteUntil } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import { type Principal, permissionsOf } from '../../foundation/access/access.ts';
import { type InTransaction, skipInTransaction } from '../../foundation/idempotency/idempotency.ts';
import type { Keys } from '../../foundation/keys/keys.ts';
import * as store from './logs.store.ts';
import type { LogRow } from './logs.tables.ts';

export interface LogDeps {
  readonly db: Database;
  readonly keys: Pick<Keys, 'open'>;
  readonly clock: Clock;
}

const RECORDS_MAX = 1000;
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
const SLICE = 500;
const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1000;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Maximum characters of each text in a record; longer ones are cut. */
const LENGTHS = {
  message: 8000,
  stack: 16_000,
  category: 200,
  conn_id: 200,
  device_id: 200,
  level: 40,
  platform: 200,
  plugin_version: 100,
} as const;
type TextField = keyof typeof LENGTHS;

/** Log records of client programs, for the person who runs them. */
export class Logs {
  readonly #deps: LogDeps;

  constructor(deps: LogDeps) {
    this.#deps = deps;
  }

  /** Stores the first 1,000 records; resolves to their number. */
  async add(
    { userId, credentialId }: Principal,
    sent: readonly LogEntry[],
    inTransaction: InTransaction<number> = skipInTransaction,
  ): Promise<number> {
    const { db, clock } = this.#deps;
    const key = await this.#keyOf(userId);
    const items = sent.slice(0, RECORDS_MAX).map((input) => sealedItem(key, clock.uuid(), cleaned(input)));
    await db.transact(async (handle) => {
      const shared = { user_id: userId, credential_id: credentialId, created_at: clock.now() };
      await handle.runMany(store.insertRecords, shared, items);
      await inTransaction(handle, items.length);
    });
    return items.length;
  }

  /**
   * Returns records, newest first: all of the account for a caller with full access; others get only the records that
   * they sent, because records may quote vaults they cannot access. Throws `validation`.
   */
  async list(principal: Principal, query: LogsQuery): Promise<LogRecord[]> {
    const { db, clock } = this.#deps;
    const { since, limit } = readQuery(query);
    const { userId } = principal;
    const key = await this.#keyOf(userId);
    const matches = filterOf(key, principal, query);
    const expired = clock.now() - RETENTION_MS;
    const found: LogRecord[] = [];
    for (let before = LAST_ID; ; ) {
      const rows = await db.all(store.findRecords, { userId, before, limit: SLICE });
      for (const row of rows) {
        before = row.id;
        // Ids are in order of arrival, so all further rows are older still.
        if (row.created_at < since || row.created_at <= expired || found.length >= limit) return found;
        if (matches(row)) found.push(opened(key, row));
      }
      if (rows.length < SLICE) return found;
    }
  }

  /** Deletes records older than 30 days; resolves to their number. */
  removeExpired(): Promise<number> {
    const { db, clock } = this.#deps;
    return deleteUntil(db, store.deleteExpired, clock.now() - RETENTION_MS);
  }

  async purgeUser(userId: UserId): Promise<void> {
    const slice = { user_id: userId, limit: SLICE };
    while ((await this.#deps.db.transact((handle) => handle.run(store.purgeOfUser, slice))) === SLICE);
  }

  async #keyOf(userId: UserId): Promise<SealingKey> {
    const key = await this.#deps.keys.open({ kind: 'user', id: userId });
    if (key === null) throw new NotevaultError('unauthorized');
    return key;
  }
}

/** Returns a filter for the requested rows that the caller may see. It unseals no row. */
function filterOf(key: SealingKey, principal: Principal, query: LogsQuery) {
  const level = blind(key, 'level', query.level || null);
  const category = blind(key, 'category', query.category || null);
  const onlyOf = seesAll(principal) ? null : principal.credentialId;
  return (row: Pick<LogRow, 'credential_id' | 'level_blind' | 'category_blind'>): boolean => {
    if (onlyOf !== null && row.credential_id !== onlyOf) return false;
    if (level !== null && !row.level_blind?.equals(level)) return false;
    return category === null || row.category_blind?.equals(category) === true;
  };
}

function sealedItem(key: SealingKey, id: string, record: StoredRecord) {
  return {
    id,
    level_blind: blind(key, 'level', record.level),
    category_blind: blind(key, 'category', record.category),
    record: storedRecord.seal(key, contextOf(id), record),
  };
}

const contextOf = (id: string) => ({ kind: 'log_records.record', row: id, version: 0 });

function blind(key: SealingKey, field: 'level' | 'category', value: string | null): Buffer | null {
  return value === null ? null : key.blind(`log ${field}`, cut(value, LENGTHS[field]));
}

const textOrNull = Type.Union([Type.String(), Type.Null()]);
/** The stored form of a record; short field names would save little, because it is compressed. */
const storedRecord = new SealedJson(
  1,
  Type.Object({
    message: textOrNull,
    stack: textOrNull,
    category: textOrNull,
    conn_id: textOrNull,
    device_id: textOrNull,
    level: textOrNull,
    platform: textOrNull,
    plugin_version: textOrNull,
    ts: Type.Union([Type.Number(), Type.Null()]),
    forced: Type.Union([Type.Boolean(), Type.Null()]),
  }),
);

type StoredRecord = ReturnType<typeof storedRecord.decode>;

function cleaned(input: LogEntry): StoredRecord {
  const texts = Object.fromEntries(
    Object.entries(LENGTHS).map(([field, length]) => {
      const text = input[field as TextField];
      return [field, text == null ? null : cut(text, length)];
    }),
  ) as { [Field in TextField]: string | null };
  return { ...texts, ts: timeOf(input.ts), forced: input.forced ?? null };
}

function opened(key: SealingKey, { id, record, created_at }: Pick<LogRow, 'id' | 'record' | 'created_at'>): LogRecord {
  const { ts, ...stored } = storedRecord.open(key, contextOf(id), record);
  return { ...stored, id, created_at: isoTime(created_at), ts: isoTimeOrNull(ts) };
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed();
  // A character has at most two units, so the rest need not be read.
  return [...text.slice(0, 2 * length)].slice(0, length).join('').toWellFormed();
}

const ISO_TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i;

/** A date without a time, or a time without a zone, is UTC. */
function timeOf(text: string | null | undefined): number | null {
  if (text == null || !ISO_TIME.test(text)) return null;
  const zoned = /[T ].*(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || !/[T ]/i.test(text);
  const ms = Date.parse(zoned ? text : `${text}Z`);
  return Number.isNaN(ms) ? null : ms;
}

function readQuery({ since, limit }: LogsQuery): { since: number; limit: number } {
  const from = since === undefined || since === '' ? 0 : timeOf(since);
  if (from === null) throw invalid({ since: ['must be a date and time such as 2026-01-31T12:00:00Z'] });
  const count = limit === undefined || limit === '' ? LIMIT_DEFAULT : Number(limit);
  if (!Number.isFinite(count)) throw invalid({ limit: ['must be a number'] });
  return { since: from, limit: Math.min(LIMIT_MAX, Math.max(1, Math.floor(count))) };
}

function seesAll(principal: Principal): boolean {
  return permissionsOf(principal).every((level) => level === 'write');
}
