import { NIL_UUID } from '@notevault/protocol/values/ids.ts';
import type { AccountsTables } from '../domains/accounts/accounts.tables.ts';
import type { AttachmentsTables } from '../domains/attachments/attachments.tables.ts';
import type { CredentialsTables } from '../domains/credentials/credentials.tables.ts';
import type { DeviceTables } from '../domains/devices/devices.tables.ts';
import type { IdempotencyTables } from '../domains/idempotency/idempotency.tables.ts';
import type { ImportsTables } from '../domains/imports/imports.tables.ts';
import * as keys from '../domains/keys/keys.store.ts';
import { serverOwner } from '../domains/keys/keys.ts';
import type { LinksTables } from '../domains/links/links.tables.ts';
import type { LogsTables } from '../domains/logs/logs.tables.ts';
import type { MembersTables } from '../domains/members/members.tables.ts';
import type { OAuthTables } from '../domains/oauth/oauth.tables.ts';
import type { PersonalTables } from '../domains/personal/personal.tables.ts';
import type { VectorsTables } from '../domains/search/embedding/vectors.tables.ts';
import type { SearchTables } from '../domains/search/search.tables.ts';
import type { TicketsTables } from '../domains/tickets/tickets.tables.ts';
import type { UploadsTables } from '../domains/uploads/uploads.tables.ts';
import type { VaultsTables } from '../domains/vaults/vaults.tables.ts';
import type { Database } from '../ports/database/database.ts';
import { type Statement, statementsOver } from '../ports/database/statement.ts';
import { type KeyOwner, type Keyring, KeyringError, type SealContext } from '../ports/keyring/keyring.ts';

type Tables = AccountsTables &
  TicketsTables &
  AttachmentsTables &
  CredentialsTables &
  DeviceTables &
  IdempotencyTables &
  ImportsTables &
  LinksTables &
  LogsTables &
  MembersTables &
  OAuthTables &
  PersonalTables &
  SearchTables &
  UploadsTables &
  VaultsTables &
  VectorsTables;

const { statement } = statementsOver<Tables>();

interface Sealed {
  readonly owner: KeyOwner;
  readonly place: SealContext;
  readonly bytes: Buffer;
}

/** The result of opening one value of each table. */
export interface Samples {
  /** Columns of which a value was opened; tables without rows are left out. */
  readonly opened: readonly string[];
  /** Columns of data whose value could not be opened. */
  readonly damaged: readonly string[];
  /** The same, of what search has made from the notes and makes again. */
  readonly rebuilt: readonly string[];
}

type Find = (db: Database) => Promise<Sealed | null>;
type Context = Omit<SealContext, 'kind'>;

const vault = (id: string): KeyOwner => ({ kind: 'vault', id });
const user = (id: string): KeyOwner => ({ kind: 'user', id });
const at = (row: string, version = 0): Context => ({ row, version });

function sample<Row>(
  kind: string | ((row: Row) => string),
  find: Statement<Record<never, never>, Row>,
  read: (row: Row) => readonly [KeyOwner, Context, Buffer | null],
): Find {
  return async (db) => {
    const row = await db.get(find, {});
    if (row === undefined) return null;
    const [owner, context, bytes] = read(row);
    return bytes === null
      ? null
      : { owner, bytes, place: { kind: typeof kind === 'string' ? kind : kind(row), ...context } };
  };
}

/** What search has made of the notes. */
const MADE_FROM_NOTES = new Set(['search_indexes.segments', 'search_segments.data', 'search_vectors.data']);

/**
 * Finds one value of each table with sealed values, by column. The stored data of authorization requests does not say
 * which kind it is, so it is left out; pages of cached lists are left out because a server ignores damaged ones. The
 * rows of notes, attachments and folders are not sampled: `findDamagedRows` opens all of them.
 */
const SAMPLES: Readonly<Record<string, Find>> = {
  'vaults.meta': sample(
    'vaults.meta',
    statement((db) => db.selectFrom('vaults').select(['id', 'meta', 'meta_version']).limit(1)),
    (row) => [vault(row.id), at(row.id, row.meta_version), row.meta],
  ),
  'invitations.email': sample(
    'invitations.email',
    statement((db) =>
      db.selectFrom('invitations').select(['vault_id', 'id', 'email']).where('email', 'is not', null).limit(1),
    ),
    (row) => [vault(row.vault_id), at(row.id), row.email],
  ),
  'former_members.name': sample(
    'former_members.name',
    statement((db) =>
      db.selectFrom('former_members').select(['vault_id', 'user_id', 'name']).where('name', 'is not', null).limit(1),
    ),
    (row) => [vault(row.vault_id), at(`${row.vault_id}.${row.user_id}`), row.name],
  ),
  'link_texts.texts': sample(
    'link_texts.texts',
    statement((db) => db.selectFrom('link_texts').select(['vault_id', 'source_id', 'version', 'texts']).limit(1)),
    (row) => [vault(row.vault_id), at(row.source_id, row.version), row.texts],
  ),
  'search_indexes.segments': sample(
    'search_indexes.segments',
    statement((db) => db.selectFrom('search_indexes').select(['vault_id', 'seq', 'segments']).limit(1)),
    (row) => [vault(row.vault_id), at(row.vault_id, row.seq), row.segments],
  ),
  'search_segments.data': sample(
    'search_segments.data',
    statement((db) => db.selectFrom('search_segments').select(['vault_id', 'segment_id', 'part', 'data']).limit(1)),
    (row) => [vault(row.vault_id), at(row.segment_id, row.part), row.data],
  ),
  'search_vectors.data': sample(
    'search_vectors.data',
    statement((db) =>
      db
        .selectFrom('search_vectors')
        .select(['vault_id', 'note_id', 'version', 'data'])
        .where('data', 'is not', null)
        .limit(1),
    ),
    (row) => [vault(row.vault_id), at(row.note_id, row.version), row.data],
  ),
  'idempotent_responses.response': sample(
    'idempotent_responses.response',
    statement((db) =>
      db.selectFrom('idempotent_responses').select(['vault_id', 'user_id', 'key_blind', 'response']).limit(1),
    ),
    (row) => [
      row.vault_id === NIL_UUID ? user(row.user_id) : vault(row.vault_id),
      at(row.key_blind.toString('hex')),
      row.response,
    ],
  ),
  'imports.progress': sample(
    'imports.progress',
    statement((db) => db.selectFrom('imports').select(['id', 'vault_id', 'progress']).limit(1)),
    (row) => [vault(row.vault_id), at(row.id), row.progress],
  ),
  'log_records.record': sample(
    'log_records.record',
    statement((db) => db.selectFrom('log_records').select(['user_id', 'id', 'record']).limit(1)),
    (row) => [user(row.user_id), at(row.id), row.record],
  ),
  'preferences.data': sample(
    'preferences.data',
    statement((db) => db.selectFrom('preferences').selectAll().limit(1)),
    (row) => [user(row.user_id), at(row.user_id, row.version), row.data],
  ),
  'opened_notes.data': sample(
    'opened_notes.data',
    statement((db) => db.selectFrom('opened_notes').selectAll().limit(1)),
    (row) => [user(row.user_id), at(`${row.user_id}.${row.vault_id}`, row.version), row.data],
  ),
  'sessions.client': sample(
    'sessions.client',
    statement((db) => db.selectFrom('sessions').select(['id', 'client']).where('client', 'is not', null).limit(1)),
    (row) => [serverOwner, at(row.id), row.client],
  ),
  'refresh_tokens.sealed': sample(
    'refresh_tokens.sealed',
    statement((db) => db.selectFrom('refresh_tokens').select(['session_id', 'sealed']).limit(1)),
    (row) => [serverOwner, at(row.session_id), row.sealed],
  ),
  'connections.name': sample(
    'connections.name',
    statement((db) =>
      db.selectFrom('connections').select(['user_id', 'id', 'name']).where('name', 'is not', null).limit(1),
    ),
    (row) => [serverOwner, at(`${row.user_id}.${row.id}`), row.name],
  ),
  'device_authorizations.names': sample(
    'device_authorizations.names',
    statement((db) => db.selectFrom('device_authorizations').select(['id', 'names']).limit(1)),
    (row) => [serverOwner, at(row.id), row.names],
  ),
  'device_families.software': sample(
    'device_families.software',
    statement((db) =>
      db.selectFrom('device_families').select(['id', 'software']).where('software', 'is not', null).limit(1),
    ),
    (row) => [serverOwner, at(row.id), row.software],
  ),
  'device_refresh_tokens.sealed': sample(
    'device_refresh_tokens.sealed',
    statement((db) => db.selectFrom('device_refresh_tokens').select(['family_id', 'sealed']).limit(1)),
    (row) => [serverOwner, at(row.family_id), row.sealed],
  ),
  'oauth_secrets.sealed': sample(
    'oauth_secrets.sealed',
    statement((db) => db.selectFrom('oauth_secrets').select(['id', 'sealed']).limit(1)),
    (row) => [serverOwner, at(String(row.id)), row.sealed],
  ),
  'oauth_clients.payload': sample(
    'oauth.Client',
    statement((db) => db.selectFrom('oauth_clients').select(['id_hash', 'payload']).limit(1)),
    (row) => [serverOwner, at(row.id_hash.toString('hex')), row.payload],
  ),
  'oauth_grants.details': sample(
    'oauth_grants.details',
    statement((db) =>
      db.selectFrom('oauth_grants').select(['user_id', 'id', 'details']).where('details', 'is not', null).limit(1),
    ),
    (row) => [serverOwner, at(`${row.user_id}.${row.id}`), row.details],
  ),
  'tickets.payload': sample(
    'tickets.payload',
    statement((db) => db.selectFrom('tickets').select(['hash', 'payload']).limit(1)),
    (row) => [serverOwner, at(row.hash.toString('hex')), row.payload],
  ),
  'uploads.meta': sample(
    'uploads.meta',
    statement((db) => db.selectFrom('uploads').select(['id', 'vault_id', 'meta']).limit(1)),
    (row) => [vault(row.vault_id), at(row.id), row.meta],
  ),
  'uploads.outcome': sample(
    'uploads.outcome',
    statement((db) =>
      db.selectFrom('uploads').select(['id', 'vault_id', 'outcome']).where('outcome', 'is not', null).limit(1),
    ),
    (row) => [vault(row.vault_id), at(row.id), row.outcome],
  ),
  'oauth_tokens.payload': sample(
    (row) => `oauth.${row.kind}`,
    statement((db) => db.selectFrom('oauth_tokens').select(['hash', 'kind', 'payload']).limit(1)),
    (row) => [serverOwner, at(row.hash.toString('hex')), row.payload],
  ),
};

/** Opens one value of each table. Values of an owner whose key was destroyed cannot be opened, which is not damage. */
export async function openSamples(db: Database, keyring: Keyring): Promise<Samples> {
  const damaged: string[] = [];
  const opened: string[] = [];
  for (const [column, find] of Object.entries(SAMPLES)) {
    const sealed = await find(db);
    const key = sealed === null ? undefined : await db.get(keys.findKey, sealed.owner);
    if (sealed === null || key === undefined) continue;
    try {
      const wrapped = { masterKeyId: key.master_key_id, bytes: key.wrapped };
      keyring.openDataKey(sealed.owner, wrapped, 0).open(sealed.place, sealed.bytes);
      opened.push(column);
    } catch (error) {
      if (!(error instanceof KeyringError)) throw error;
      damaged.push(column);
    }
  }
  const isRebuilt = (column: string) => MADE_FROM_NOTES.has(column);
  return { opened, damaged: damaged.filter((column) => !isRebuilt(column)), rebuilt: damaged.filter(isRebuilt) };
}
