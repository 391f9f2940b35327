import { setImmediate } from 'node:timers/promises';
import { NIL_UUID } from '@notevault/protocol/values/ids.ts';
import { type Selectable, sql } from 'kysely';
import type { CredentialsTables } from '../domains/connecting/credentials/credentials.tables.ts';
import type { TicketsTables } from '../domains/connecting/credentials/tickets/tickets.tables.ts';
import type { DeviceTables } from '../domains/connecting/devices/devices.tables.ts';
import type { OAuthTables } from '../domains/connecting/oauth/oauth.tables.ts';
import type { AccountsTables } from '../domains/content/accounts/accounts.tables.ts';
import type { ActivityTables } from '../domains/content/activity-log/activity-log.tables.ts';
import type { AttachmentsTables } from '../domains/content/attachments/attachments.tables.ts';
import type { IdentitiesTables } from '../domains/content/identities/identities.tables.ts';
import type { OidcTables } from '../domains/content/identities/oidc/oidc.tables.ts';
import type { PasskeyTables } from '../domains/content/identities/passkeys/passkeys.tables.ts';
import type { LinksTables } from '../domains/content/links/links.tables.ts';
import type { MailsTables } from '../domains/content/mails/mails.tables.ts';
import type { MembersTables } from '../domains/content/members/members.tables.ts';
import type { PersonalTables } from '../domains/content/personal/personal.tables.ts';
import type { VaultsTables } from '../domains/content/vaults/vaults.tables.ts';
import type { ImportsTables } from '../domains/exchanging/imports/imports.tables.ts';
import type { PublicLinksTables } from '../domains/exchanging/public-links/public-links.tables.ts';
import type { UploadsTables } from '../domains/exchanging/uploads/uploads.tables.ts';
import type { IdempotencyTables } from '../domains/foundation/idempotency/idempotency.tables.ts';
import * as keys from '../domains/foundation/keys/keys.store.ts';
import { serverOwner } from '../domains/foundation/keys/keys.ts';
import type { LogsTables } from '../domains/operating/logs/logs.tables.ts';
import type { VectorsTables } from '../domains/reading/search/embedding/vectors.tables.ts';
import type { SearchTables } from '../domains/reading/search/search.tables.ts';
import { type Database, pagesOf } from '../ports/database/database.ts';
import { statementsOver } from '../ports/database/statement.ts';
import {
  type KeyOwner,
  type Keyring,
  KeyringError,
  type SealContext,
  type SealingKey,
} from '../ports/keyring/keyring.ts';

type Tables = AccountsTables &
  ActivityTables &
  TicketsTables &
  AttachmentsTables &
  CredentialsTables &
  DeviceTables &
  IdempotencyTables &
  IdentitiesTables &
  ImportsTables &
  LinksTables &
  LogsTables &
  MailsTables &
  MembersTables &
  OAuthTables &
  OidcTables &
  PasskeyTables &
  PersonalTables &
  PublicLinksTables &
  SearchTables &
  UploadsTables &
  VaultsTables &
  VectorsTables;

const { statement } = statementsOver<Tables>();

interface SealedValue {
  readonly owner: KeyOwner;
  readonly place: SealContext;
  readonly bytes: Buffer;
}

export interface Samples {
  /** Columns whose values were opened; tables without rows are left out. */
  readonly opened: readonly string[];
  /** Columns with a value that could not be opened. */
  readonly damaged: readonly string[];
  /** Tables whose sealed values search has derived from notes and can rebuild. */
  readonly rebuilt: readonly string[];
}

type Context = Omit<SealContext, 'kind'>;

interface Sample {
  readonly column: string;
  readonly values: (db: Database, limit: number) => AsyncIterable<readonly SealedValue[]>;
}

/** Values read at once: few, because some are of megabytes. */
const PAGE = 16;

const vault = (id: string): KeyOwner => ({ kind: 'vault', id });
const user = (id: string): KeyOwner => ({ kind: 'user', id });
const NO_BYTES = Buffer.alloc(0);
const at = (row: string, version = 0): Context => ({ row, version });

/**
 * @param key the columns of the primary key, each with a value below all others.
 * @param kindOf the kind of the sealed values, where it is not the column.
 */
function sample<Table extends keyof Tables>(
  table: Table,
  name: keyof Tables[Table] & string,
  key: Partial<Record<keyof Tables[Table], string | number | Buffer>>,
  contextOf: (row: Selectable<Tables[Table]>) => readonly [KeyOwner, Context],
  kindOf: (row: Selectable<Tables[Table]>) => string = () => `${table}.${name}`,
): Sample {
  type Row = Selectable<Tables[Table]>;
  const columns = Object.keys(key);
  const page = statement((db, p: Record<string, unknown> & { readonly limit: number }) => {
    const [refs, after] = [columns.map((column) => sql.ref(column)), columns.map((column) => p[column])];
    const rows = db.selectFrom<keyof Tables>(table).selectAll().where(sql.ref(name), 'is not', null);
    return rows
      .where(sql<boolean>`(${sql.join(refs)}) > (${sql.join(after)})`)
      .orderBy(sql.join(refs))
      .limit(p.limit);
  });
  return {
    column: `${table}.${name}`,
    async *values(db, limit) {
      const next = (last: object | undefined) => {
        const from = { ...key, ...last } as Record<string, unknown>;
        return { ...Object.fromEntries(columns.map((column) => [column, from[column]])), limit };
      };
      for await (const rows of pagesOf(db, page, next)) {
        yield (rows as Row[]).map((row) => {
          const [owner, context] = contextOf(row);
          const bytes = (row as Record<string, unknown>)[name] as Buffer;
          return { owner, bytes, place: { kind: kindOf(row), ...context } };
        });
      }
    },
  };
}

const MADE_FROM_NOTES = new Set(['search_indexes.segments', 'search_segments.data', 'search_vectors.data']);

/**
 * The tables with sealed values, by column. Authorization requests are left out, because their stored data does not
 * contain its kind. The rows of notes, attachments and folders are not sampled: `findDamagedRows` opens all of them.
 */
const SAMPLES: readonly Sample[] = [
  sample('vaults', 'meta', { id: NIL_UUID }, (row) => [vault(row.id), at(row.id, row.meta_version)]),
  sample('invitations', 'email', { id: NIL_UUID }, (row) => [vault(row.vault_id), at(row.id)]),
  sample('public_links', 'password', { id: NIL_UUID }, (row) => [vault(row.vault_id), at(row.id)]),
  sample('former_members', 'name', { vault_id: NIL_UUID, user_id: NIL_UUID }, (row) => [
    vault(row.vault_id),
    at(`${row.vault_id}.${row.user_id}`),
  ]),
  sample('activity', 'data', { vault_id: NIL_UUID, id: NIL_UUID }, (row) => [vault(row.vault_id), at(row.id)]),
  sample('link_texts', 'texts', { vault_id: NIL_UUID, source_id: NIL_UUID }, (row) => [
    vault(row.vault_id),
    at(row.source_id, row.version),
  ]),
  sample('search_indexes', 'segments', { vault_id: NIL_UUID }, (row) => [
    vault(row.vault_id),
    at(row.vault_id, row.seq),
  ]),
  sample('search_segments', 'data', { vault_id: NIL_UUID, segment_id: NIL_UUID, part: -1 }, (row) => [
    vault(row.vault_id),
    at(row.segment_id, row.part),
  ]),
  sample('search_vectors', 'data', { vault_id: NIL_UUID, note_id: NIL_UUID }, (row) => [
    vault(row.vault_id),
    at(row.note_id, row.version),
  ]),
  sample('idempotent_responses', 'response', { vault_id: NIL_UUID, user_id: NIL_UUID, key_blind: NO_BYTES }, (row) => [
    row.vault_id === NIL_UUID ? user(row.user_id) : vault(row.vault_id),
    at(row.key_blind.toString('hex')),
  ]),
  sample('imports', 'progress', { id: NIL_UUID }, (row) => [vault(row.vault_id), at(row.id)]),
  sample('log_records', 'record', { user_id: NIL_UUID, id: NIL_UUID }, (row) => [user(row.user_id), at(row.id)]),
  sample('preferences', 'data', { user_id: NIL_UUID }, (row) => [user(row.user_id), at(row.user_id, row.version)]),
  sample('opened_notes', 'data', { user_id: NIL_UUID, vault_id: NIL_UUID }, (row) => [
    user(row.user_id),
    at(`${row.user_id}.${row.vault_id}`, row.version),
  ]),
  sample('outgoing_mails', 'data', { id: NIL_UUID }, (row) => [serverOwner, at(row.id)]),
  sample('totp_secrets', 'secret', { user_id: NIL_UUID }, (row) => [serverOwner, at(row.user_id)]),
  sample('oidc_identities', 'details', { id: NIL_UUID }, (row) => [serverOwner, at(row.id)]),
  sample('passkeys', 'name', { id: NIL_UUID }, (row) => [serverOwner, at(row.id)]),
  sample('sessions', 'client', { id: NIL_UUID }, (row) => [serverOwner, at(row.id)]),
  sample('refresh_tokens', 'sealed', { session_id: NIL_UUID, hash: NO_BYTES }, (row) => [
    serverOwner,
    at(row.session_id),
  ]),
  sample('connections', 'name', { user_id: NIL_UUID, id: NIL_UUID }, (row) => [
    serverOwner,
    at(`${row.user_id}.${row.id}`),
  ]),
  sample('device_authorizations', 'names', { id: NIL_UUID }, (row) => [serverOwner, at(row.id)]),
  sample('device_families', 'software', { user_id: NIL_UUID, id: NIL_UUID }, (row) => [serverOwner, at(row.id)]),
  sample('device_refresh_tokens', 'sealed', { user_id: NIL_UUID, family_id: NIL_UUID, hash: NO_BYTES }, (row) => [
    serverOwner,
    at(row.family_id),
  ]),
  sample('oauth_secrets', 'sealed', { id: Number.MIN_SAFE_INTEGER }, (row) => [serverOwner, at(String(row.id))]),
  sample(
    'oauth_clients',
    'payload',
    { id_hash: NO_BYTES },
    (row) => [serverOwner, at(row.id_hash.toString('hex'))],
    () => 'oauth.Client',
  ),
  sample('oauth_grants', 'details', { user_id: NIL_UUID, id: NIL_UUID }, (row) => [
    serverOwner,
    at(`${row.user_id}.${row.id}`),
  ]),
  sample('tickets', 'payload', { hash: NO_BYTES }, (row) => [serverOwner, at(row.hash.toString('hex'))]),
  sample('uploads', 'meta', { id: NIL_UUID }, (row) => [vault(row.vault_id), at(row.id)]),
  sample('uploads', 'outcome', { id: NIL_UUID }, (row) => [vault(row.vault_id), at(row.id)]),
  sample(
    'oauth_tokens',
    'payload',
    { hash: NO_BYTES },
    (row) => [serverOwner, at(row.hash.toString('hex'))],
    (row) => `oauth.${row.kind}`,
  ),
];

/**
 * Opens one value of each table, or every value; those of an owner whose key was destroyed are no damage.
 * @param progress called after each page, with the number of values opened.
 */
export async function openSamples(
  db: Database,
  keyring: Keyring,
  every = false,
  progress: (values: number) => void = () => undefined,
): Promise<Samples> {
  const [opened, damaged] = [new Set<string>(), new Set<string>()];
  const keyOf = keysOf(db, keyring);
  let values = 0;
  for (const { column, values: pages } of SAMPLES) {
    for await (const page of pages(db, every ? PAGE : 1)) {
      for (const { owner, place, bytes } of page) {
        const outcome = await opens(keyOf, owner, place, bytes);
        if (outcome !== null) (outcome ? opened : damaged).add(column);
      }
      if (!every) break;
      values += page.length;
      progress(values);
      // Reads of SQLite may never leave the current turn of the event loop.
      await setImmediate();
    }
  }
  const isRebuilt = (column: string) => MADE_FROM_NOTES.has(column);
  const all = [...damaged];
  return { opened: [...opened], damaged: all.filter((column) => !isRebuilt(column)), rebuilt: all.filter(isRebuilt) };
}

type KeyOf = (owner: KeyOwner) => Promise<SealingKey | null>;

/** Opens data keys and caches the last one: rows of one owner follow each other. Null for a destroyed key. */
function keysOf(db: Database, keyring: Keyring): KeyOf {
  let last: { readonly owner: KeyOwner; readonly key: SealingKey | null } | undefined;
  return async (owner) => {
    if (last?.owner.kind === owner.kind && last.owner.id === owner.id) return last.key;
    const row = await db.get(keys.findKey, owner);
    const wrapped = row && { masterKeyId: row.master_key_id, bytes: row.wrapped };
    last = { owner, key: wrapped === undefined ? null : keyring.openDataKey(owner, wrapped, 0) };
    return last.key;
  };
}

/** Whether a value opens; null when its key was destroyed. */
async function opens(keyOf: KeyOf, owner: KeyOwner, place: SealContext, bytes: Buffer): Promise<boolean | null> {
  try {
    const key = await keyOf(owner);
    if (key === null) return null;
    key.open(place, bytes);
    return true;
  } catch (error) {
    if (error instanceof KeyringError) return false;
    throw error;
  }
}
