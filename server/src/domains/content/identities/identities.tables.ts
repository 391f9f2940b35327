import type { UserId } from '@notevault/protocol/values/ids.ts';

/** The authenticator app of an account. */
export interface TotpSecretRow {
  user_id: UserId;
  /** The secret, sealed under the server's key. */
  secret: Buffer;
  created_at: number;
  /** When its first code proved that the app has the secret; null until then, when it is not asked for yet. */
  confirmed_at: number | null;
  /** The 30-second step of the last code that was used: no code of it or before is accepted again. */
  last_step: number;
}

/** A recovery code that was not used yet. */
export interface RecoveryCodeRow {
  user_id: UserId;
  /** HMAC of the code under the server's key. */
  code_mac: Buffer;
}

export interface IdentitiesTables {
  totp_secrets: TotpSecretRow;
  recovery_codes: RecoveryCodeRow;
}

export const identitiesDdl = `
create table totp_secrets (
  user_id uuid primary key references users (id) on delete cascade,
  secret bytea not null,
  created_at bigint not null,
  confirmed_at bigint,
  last_step bigint not null
);
create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  code_mac bytea not null,
  primary key (user_id, code_mac)
);
`;
