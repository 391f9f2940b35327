import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { AccountsTables } from '../../content/accounts/accounts.tables.ts';
import type { UploadsTables } from './uploads.tables.ts';

/** The times after `since`, up to `latest`. */
export interface Span {
  readonly since: number;
  readonly latest: number;
}

const { statement, listStatement, table } = statementsOver<UploadsTables & Pick<AccountsTables, 'users'>>();
const uploads = table('uploads');
const parts = table('upload_parts');

export const insertUpload = uploads.insert(
  ...(['id', 'user_id', 'vault_id', 'credential_kind', 'credential_id', 'state'] as const),
  ...(['length_bytes', 'received_bytes', 'meta', 'outcome', 'expires_at', 'progressed_at'] as const),
);

export const findUpload = statement((db, p: { id: string; userId: UserId; credentialId: string }) =>
  db
    .selectFrom('uploads')
    .selectAll()
    .where('id', '=', p.id)
    .where('user_id', '=', p.userId)
    .where('credential_id', '=', p.credentialId),
);

export const findOpen = statement((db, p: { userId: UserId; now: number }) =>
  db
    .selectFrom('uploads')
    .select([
      'id',
      'vault_id',
      'credential_kind',
      'credential_id',
      'length_bytes',
      'received_bytes',
      'progressed_at',
      'expires_at',
    ])
    .where('user_id', '=', p.userId)
    .where('state', '=', 'open')
    .where('expires_at', '>', p.now),
);

export const countOpen = statement((db, p: { now: number }) =>
  db
    .selectFrom('uploads')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('expires_at', '>', p.now)
    .where('state', '=', 'open'),
);

/** The uploads that keep room in some vaults, all but one. */
export const findAnnounced = listStatement((db, p: Span & { now: number; except: string }, vaultIds: VaultId[]) =>
  db
    .selectFrom('uploads')
    .select('length_bytes')
    .where('vault_id', 'in', vaultIds)
    .where('state', '=', 'open')
    .where('expires_at', '>', p.now)
    .where('progressed_at', '>', p.since)
    .where('progressed_at', '<=', p.latest)
    .where('id', '<>', p.except),
);

/** The open uploads into some vaults, with who began them. */
export const findInto = listStatement((db, p: { now: number }, vaultIds: VaultId[]) =>
  db
    .selectFrom('uploads as u')
    .innerJoin('users as p', 'p.id', 'u.user_id')
    .select(['u.id', 'u.vault_id', 'u.user_id', 'u.length_bytes', 'u.received_bytes', 'u.meta', 'u.expires_at'])
    .select(['u.progressed_at', 'p.display_name'])
    .where('u.vault_id', 'in', vaultIds)
    .where('u.state', '=', 'open')
    .where('u.expires_at', '>', p.now),
);

export const findOpenById = statement((db, p: { id: string }) =>
  db.selectFrom('uploads').select(['id', 'vault_id']).where('id', '=', p.id).where('state', '=', 'open'),
);

/**
 * Advances an upload; changes no row unless it is open, its offset is `from`, and its last progress lies in the span.
 */
export const advance = statement((db, p: Span & { id: string; from: number; to: number; now: number }) =>
  db
    .updateTable('uploads')
    .set({ received_bytes: p.to, progressed_at: p.now })
    .where('id', '=', p.id)
    .where('received_bytes', '=', p.from)
    .where('state', '=', 'open')
    .where('progressed_at', '>', p.since)
    .where('progressed_at', '<=', p.latest),
);

/** Like `advance`, to the end, whenever the last progress was. */
export const complete = statement(
  (db, p: { id: string; from: number; to: number; outcome: Buffer; expiresAt: number }) =>
    db
      .updateTable('uploads')
      .set({ received_bytes: p.to, state: 'done', outcome: p.outcome, expires_at: p.expiresAt })
      .where('id', '=', p.id)
      .where('received_bytes', '=', p.from)
      .where('state', '=', 'open'),
);

/** Like `complete`. */
export const refuse = statement((db, p: { id: string; from: number }) =>
  db
    .updateTable('uploads')
    .set({ state: 'refused' })
    .where('id', '=', p.id)
    .where('received_bytes', '=', p.from)
    .where('state', '=', 'open'),
);

export const insertParts = parts.insertMany(['upload_id'], ['from_byte', 'size_bytes', 'blob_id']);

export const findParts = statement((db, p: { upload: string }) =>
  db
    .selectFrom('upload_parts')
    .select(['from_byte', 'size_bytes', 'blob_id'])
    .where('upload_id', '=', p.upload)
    .orderBy('from_byte'),
);

export const deleteParts = parts.delete('upload_id');

export const deleteUpload = uploads.delete('id');

/** Their bytes are removed when they are a day old. */
export const deleteUploadsOf = uploads.delete('user_id', 'vault_id');

export const findExpired = statement((db, p: { until: number; limit: number }) =>
  db
    .selectFrom('uploads')
    .select(['id', 'vault_id'])
    .where('expires_at', '<=', p.until)
    .orderBy('expires_at')
    .limit(p.limit),
);
