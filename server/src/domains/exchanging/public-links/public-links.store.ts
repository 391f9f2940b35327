import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { PublicLinksTables } from './public-links.tables.ts';

const { statement, table, deletion } = statementsOver<PublicLinksTables>();
const links = table('public_links');

export const insertLink = links.insert(
  ...(['id', 'vault_id', 'token_hash', 'note_id', 'folder_id', 'password', 'created_by'] as const),
  ...(['created_at', 'expires_at', 'last_used_at'] as const),
);

export const findLink = statement((db, p: { hash: Buffer; now: number }) =>
  db
    .selectFrom('public_links')
    .select(['id', 'vault_id', 'note_id', 'folder_id', 'password', 'last_used_at'])
    .where('token_hash', '=', p.hash)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', p.now)])),
);

/** The links of a vault that have not expired, oldest first. */
export const listLinks = statement((db, p: { vaultId: VaultId; now: number; limit: number }) =>
  db
    .selectFrom('public_links')
    .select(['id', 'note_id', 'folder_id', 'password', 'created_at', 'expires_at', 'last_used_at'])
    .where('vault_id', '=', p.vaultId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', p.now)]))
    .orderBy('created_at')
    .orderBy('id')
    .limit(p.limit),
);

export const countLinks = statement((db, p: { now: number }) =>
  db
    .selectFrom('public_links')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', p.now)])),
);

export const deleteLink = links.delete('id', 'vault_id');

/** Records a use, unless one was recorded since `before`. */
export const touchLink = statement((db, p: { id: string; now: number; before: number }) =>
  db
    .updateTable('public_links')
    .set({ last_used_at: p.now })
    .where('id', '=', p.id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', p.before)])),
);

export const deleteLinksIn = links.delete('vault_id');

export const deleteExpired = deletion('public_links', 'id', 'expires_at');
