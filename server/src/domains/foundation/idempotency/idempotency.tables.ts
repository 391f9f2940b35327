import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';

/** The answer to a request with an idempotency key, stored for when the request is sent again. */
export interface IdempotentResponseRow {
  /** The vault of the request; the nil UUID for a request without a vault. */
  vault_id: VaultId;
  user_id: UserId;
  /** Blind value of route and key, under the vault's key, or the user's if there is no vault. */
  key_blind: Buffer;
  /** HMAC of the request under the same key: detects another request without storing the contents of either. */
  request_mac: Buffer;
  /** Sealed JSON: status and body. */
  response: Buffer;
  created_at: number;
}

export interface IdempotencyTables {
  idempotent_responses: IdempotentResponseRow;
}

export const idempotencyDdl = `
create table idempotent_responses (
  vault_id uuid not null,
  user_id uuid not null,
  key_blind bytea not null,
  request_mac bytea not null,
  response bytea not null,
  created_at bigint not null,
  primary key (vault_id, user_id, key_blind)
);
create index idempotent_responses_by_age on idempotent_responses (created_at);
`;
