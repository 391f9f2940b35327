import type { UserId } from '@notevault/protocol/values/ids.ts';

/** The server's own secrets for OAuth: one row, created when first needed, shared by all processes. */
export interface OAuthSecretsRow {
  /** Always 1. */
  id: number;
  /** Keys for signing cookies, and the signing keys of the server, as JSON; sealed under the server's key. */
  sealed: Buffer;
}

/** One client that registered itself. Clients with a metadata document have no row. */
export interface OAuthClientRow {
  /** SHA-256 of the client id. */
  id_hash: Buffer;
  /** Its registered metadata, including its secret; sealed under the server's key. */
  payload: Buffer;
  created_at: number;
  /** Day on which it last got a token; null for a client that nobody has authorized. */
  used_at: number | null;
}

/** An OAuth client's grant, under the id of its connection. A revoked grant keeps only its user and client. */
export interface OAuthGrantRow {
  user_id: UserId;
  id: string;
  /** SHA-256 of the client id. */
  client_hash: Buffer;
  /** SHA-256 of the part that its refresh tokens share, by which reuse of a forgotten token names the family. */
  family_hash: Buffer;
  /** The details of the client that people see, as JSON; sealed under the server's key. null once revoked. */
  details: Buffer | null;
  /** The provider's payload; sealed under the server's key. null before there is one, and once revoked. */
  payload: Buffer | null;
  /** When the last of its tokens expires. */
  expires_at: number;
}

export interface OAuthTokenRow {
  /** SHA-256 of the token. */
  hash: Buffer;
  kind: 'code' | 'access' | 'refresh';
  user_id: UserId;
  grant_id: string;
  /** Its scope: words separated by spaces. */
  scope: string;
  /** The provider's payload, without the token itself; sealed under the server's key. */
  payload: Buffer;
  /** When a code or refresh token was used; null before that. */
  consumed_at: number | null;
  expires_at: number;
}

/** A pending authorization request, or the record of a client assertion that was used. */
export interface OAuthTransientRow {
  /** SHA-256 of its id. */
  hash: Buffer;
  /** The provider's payload; sealed under the server's key. */
  payload: Buffer;
  /** When the person decided; null before that. It can be decided only once. */
  decided_at: number | null;
  expires_at: number;
}

export interface OAuthTables {
  oauth_secrets: OAuthSecretsRow;
  oauth_clients: OAuthClientRow;
  oauth_grants: OAuthGrantRow;
  oauth_tokens: OAuthTokenRow;
  oauth_transients: OAuthTransientRow;
}

export const oauthDdl = `
create table oauth_secrets (
  id bigint primary key check (id = 1),
  sealed bytea not null
);
create table oauth_clients (
  id_hash bytea primary key,
  payload bytea not null,
  created_at bigint not null,
  used_at bigint
);
create index oauth_clients_unused on oauth_clients (created_at) where used_at is null;
create index oauth_clients_used on oauth_clients (used_at) where used_at is not null;
create table oauth_grants (
  user_id uuid not null,
  id uuid not null,
  client_hash bytea not null,
  family_hash bytea not null unique,
  details bytea,
  payload bytea,
  expires_at bigint not null,
  primary key (user_id, id),
  foreign key (user_id, id) references connections (user_id, id) on delete cascade
);
create index oauth_grants_of_client on oauth_grants (user_id, client_hash);
create index oauth_grants_expiring on oauth_grants (expires_at) where details is not null;
create table oauth_tokens (
  hash bytea primary key,
  kind text not null check (kind in ('code', 'access', 'refresh')),
  user_id uuid not null,
  grant_id uuid not null,
  scope text not null,
  payload bytea not null,
  consumed_at bigint,
  expires_at bigint not null,
  foreign key (user_id, grant_id) references oauth_grants (user_id, id) on delete cascade
);
create index oauth_tokens_of_grant on oauth_tokens (user_id, grant_id, kind);
create index oauth_tokens_expiring on oauth_tokens (expires_at);
create table oauth_transients (
  hash bytea primary key,
  payload bytea not null,
  decided_at bigint,
  expires_at bigint not null
);
create index oauth_transients_expiring on oauth_transients (expires_at);
`;
