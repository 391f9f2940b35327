import type { UserId } from '@notevault/protocol/values/ids.ts';

/** A person at an OpenID Connect provider who can sign in to an account. */
export interface OidcIdentityRow {
  id: string;
  user_id: UserId;
  /** HMAC of issuer and subject under the server's key. */
  identity_mac: Buffer;
  /** Issuer, subject, and the address that the provider names, sealed under the server's key. */
  details: Buffer;
  created_at: number;
  /** When it was last used to sign in. */
  last_used_at: number;
}

export interface OidcTables {
  oidc_identities: OidcIdentityRow;
}

export const oidcDdl = `
create table oidc_identities (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  identity_mac bytea not null unique,
  details bytea not null,
  created_at bigint not null,
  last_used_at bigint not null
);
create index oidc_identities_of_user on oidc_identities (user_id);
`;
