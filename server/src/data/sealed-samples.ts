import { NIL_UUID } from '@notevault/protocol/values/ids.ts';
import { type Selectable, sql } from 'kysely';
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
import { statementsOver } from '../ports/database/statement.ts';
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

export interface Samples {
  /** Columns of which a value was opened; tables without rows are left out. */
  readonly opened: readonly string[];
  /** Columns of data whose value could not be opened. */
  readonly damaged: readonly string[];
  /** The same, of what search has made from the notes and makes again. */
  readonly rebuilt: readonly string[];
}

type Context = Omit<SealContext, 'kind'>;

interface Sample {
  readonly column: string;
  readonly find: (db: Database) => Promise<Sealed | null>;
}

const vault = (id: string): KeyOwner => ({ kind: 'vault', id });
const user = (id: string): KeyOwner => ({ kind: 'user', id });
const at = (row: string, version = 0): Context => ({ row, version });

/** @param kindOf of the sealed values, where it is not the column. */
function sample<Table extends keyof Tables>(
  table: Table,
  name: keyof Tables[Table] & string,
  contextOf: (row: Selectable<Tables[Table]>) => readonly [KeyOwner, Context],
  kindOf: (row: Selectable<Tables[Table]>) => string = () => `${table}.${name}`,
): Sample {
  const find = statement((db) =>
    db.selectFrom<keyof Tables>(table).selectAll().where(sql.ref(name), 'is not', null).limit(1),
  );
  return {
    column: `${table}.${name}`,
    async find(db) {
      const row = (await db.get(find, {})) as Selectable<Tables[Table]> | undefined;
      if (row === undefined) return null;
      const [owner, context] = contextOf(row);
      return {
        owner,
        bytes: (row as Record<string, unknown>)[name] as Buffer,
        place: { kind: kindOf(row), ...context },
      };
    },
  };
}

const MADE_FROM_NOTES = new Set(['search_indexes.segments', 'search_segments.data', 'search_vectors.data']);

/**
 * Finds one value of each table with sealed values, by column. The stored data of authorization requests does not say
 * which kind it is, so it is left out; pages of cached lists are left out because a server ignores damaged ones. The
 * rows of notes, attachments and folders are not sampled: `findDamagedRows` opens all of them.
 */
const SAMPLES: readonly Sample[] = [
  sample('vaults', 'meta', (row) => [vault(row.id), at(row.id, row.meta_version)]),
  sample('invitations', 'email', (row) => [vault(row.vault_id), at(row.id)]),
  sample('former_members', 'name', (row) => [vault(row.vault_id), at(`${row.vault_id}.${row.user_id}`)]),
  sample('link_texts', 'texts', (row) => [vault(row.vault_id), at(row.source_id, row.version)]),
  sample('search_indexes', 'segments', (row) => [vault(row.vault_id), at(row.vault_id, row.seq)]),
  sample('search_segments', 'data', (row) => [vault(row.vault_id), at(row.segment_id, row.part)]),
  sample('search_vectors', 'data', (row) => [vault(row.vault_id), at(row.note_id, row.version)]),
  sample('idempotent_responses', 'response', (row) => [
    row.vault_id === NIL_UUID ? user(row.user_id) : vault(row.vault_id),
    at(row.key_blind.toString('hex')),
  ]),
  sample('imports', 'progress', (row) => [vault(row.vault_id), at(row.id)]),
  sample('log_records', 'record', (row) => [user(row.user_id), at(row.id)]),
  sample('preferences', 'data', (row) => [user(row.user_id), at(row.user_id, row.version)]),
  sample('opened_notes', 'data', (row) => [user(row.user_id), at(`${row.user_id}.${row.vault_id}`, row.version)]),
  sample('sessions', 'client', (row) => [serverOwner, at(row.id)]),
  sample('refresh_tokens', 'sealed', (row) => [serverOwner, at(row.session_id)]),
  sample('connections', 'name', (row) => [serverOwner, at(`${row.user_id}.${row.id}`)]),
  sample('device_authorizations', 'names', (row) => [serverOwner, at(row.id)]),
  sample('device_families', 'software', (row) => [serverOwner, at(row.id)]),
  sample('device_refresh_tokens', 'sealed', (row) => [serverOwner, at(row.family_id)]),
  sample('oauth_secrets', 'sealed', (row) => [serverOwner, at(String(row.id))]),
  sample(
    'oauth_clients',
    'payload',
    (row) => [serverOwner, at(row.id_hash.toString('hex'))],
    () => 'oauth.Client',
  ),
  sample('oauth_grants', 'details', (row) => [serverOwner, at(`${row.user_id}.${row.id}`)]),
  sample('tickets', 'payload', (row) => [serverOwner, at(row.hash.toString('hex'))]),
  sample('uploads', 'meta', (row) => [vault(row.vault_id), at(row.id)]),
  sample('uploads', 'outcome', (row) => [vault(row.vault_id), at(row.id)]),
  sample(
    'oauth_tokens',
    'payload',
    (row) => [serverOwner, at(row.hash.toString('hex'))],
    (row) => `oauth.${row.kind}`,
  ),
];

/** Opens one value of each table. Values of an owner whose key was destroyed cannot be opened, which is not damage. */
export async function openSamples(db: Database, keyring: Keyring): Promise<Samples> {
  const damaged: string[] = [];
  const opened: string[] = [];
  for (const { column, find } of SAMPLES) {
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
