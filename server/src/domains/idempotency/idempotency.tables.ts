import type { UserId, VaultId } from '@notevault/protocol/ids.ts';

/** The answer to a request that carried a key, kept to be given again when the request comes again. */
export interface IdempotentResponseRow {
  /** The vault the request was about; the nil UUID for one about the user's own things. */
  vault_id: VaultId;
  user_id: UserId;
  /** Blind of route and key, under the vault's key, or the user's where there is no vault. */
  key_blind: Buffer;
  /** HMAC of what was asked, under the same key: tells another request apart without telling what either said. */
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
