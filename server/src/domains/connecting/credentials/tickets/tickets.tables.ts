import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';

/** A permission for one operation on one path, without a credential in the request. */
export interface TicketRow {
  /** SHA-256 of the secret in its URL. */
  hash: Buffer;
  user_id: UserId;
  vault_id: VaultId;
  /** Operation, path, limit and the credential that made it, sealed under the server's key. */
  payload: Buffer;
  expires_at: number;
}

export interface TicketsTables {
  tickets: TicketRow;
}

export const ticketsDdl = `
create table tickets (
  hash bytea primary key,
  user_id uuid not null references users (id) on delete cascade,
  vault_id uuid not null references vaults (id) on delete cascade,
  payload bytea not null,
  expires_at bigint not null
);
create index tickets_expiring on tickets (expires_at);
create index tickets_of_user on tickets (user_id);
create index tickets_of_vault on tickets (vault_id);
`;
