import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';

/** One pending device link; deleted once the device has its tokens. */
export interface DeviceAuthorizationRow {
  id: string;
  device_hash: Buffer;
  /** Blind value of the user code: there are so few codes that a plain hash could be reversed. */
  user_code_blind: Buffer;
  /** The suggested names of vault, device and client, sealed under the server's key. */
  names: Buffer;
  /** Least time between two polls. */
  poll_seconds: number;
  polled_at: number | null;
  /** The account that looked the code up first; no other can use it. */
  user_id: UserId | null;
  /** The chosen vault; null before the decision. */
  vault_id: VaultId | null;
  state: 'pending' | 'approved' | 'denied';
  expires_at: number;
}

/** A device's family of refresh tokens. Its connection has the same id and remains when the device is revoked. */
export interface DeviceFamilyRow {
  user_id: UserId;
  id: string;
  /** SHA-256 of the part that its refresh tokens share, by which reuse of a forgotten token names the family. */
  family_hash: Buffer;
  /** The name of the client program, sealed under the server's key; null when it has none. */
  software: Buffer | null;
  /** 90 days after the last refresh. */
  expires_at: number;
}

/** The current refresh token of a device, and those replaced within the grace period. */
export interface DeviceRefreshRow {
  user_id: UserId;
  family_id: string;
  /** SHA-256 of the whole token. */
  hash: Buffer;
  /** The token under the server's key: within the grace period a replaced one is answered with the current one. */
  sealed: Buffer;
  /** When it was replaced; null for the current one. */
  replaced_at: number | null;
}

export interface DeviceAccessRow {
  /** SHA-256 of the token. */
  hash: Buffer;
  user_id: UserId;
  family_id: string;
  expires_at: number;
}

/** An attempt with a wrong user code. */
export interface DeviceAttemptRow {
  user_id: UserId;
  id: string;
  attempted_at: number;
}

export interface DeviceTables {
  device_authorizations: DeviceAuthorizationRow;
  device_families: DeviceFamilyRow;
  device_refresh_tokens: DeviceRefreshRow;
  device_access_tokens: DeviceAccessRow;
  device_attempts: DeviceAttemptRow;
}

// Everything is deleted with the account, so no credential outlives it.
export const devicesDdl = `
create table device_authorizations (
  id uuid primary key,
  device_hash bytea not null unique,
  user_code_blind bytea not null unique,
  names bytea not null,
  poll_seconds bigint not null,
  polled_at bigint,
  user_id uuid references users (id) on delete cascade,
  vault_id uuid,
  state text not null check (state in ('pending', 'approved', 'denied')),
  expires_at bigint not null
);
create index device_authorizations_of_user on device_authorizations (user_id) where user_id is not null;
create index device_authorizations_expiring on device_authorizations (expires_at);
create table device_families (
  user_id uuid not null,
  id uuid not null,
  family_hash bytea not null unique,
  software bytea,
  expires_at bigint not null,
  primary key (user_id, id),
  foreign key (user_id, id) references connections (user_id, id) on delete cascade
);
create index device_families_expiring on device_families (expires_at);
create table device_refresh_tokens (
  user_id uuid not null,
  family_id uuid not null,
  hash bytea not null,
  sealed bytea not null,
  replaced_at bigint,
  primary key (user_id, family_id, hash),
  foreign key (user_id, family_id) references device_families (user_id, id) on delete cascade
);
create unique index device_refresh_one_current on device_refresh_tokens (user_id, family_id) where replaced_at is null;
create table device_access_tokens (
  hash bytea primary key,
  user_id uuid not null,
  family_id uuid not null,
  expires_at bigint not null,
  foreign key (user_id, family_id) references device_families (user_id, id) on delete cascade
);
create index device_access_of_family on device_access_tokens (user_id, family_id);
create table device_attempts (
  user_id uuid not null references users (id) on delete cascade,
  id uuid not null,
  attempted_at bigint not null,
  primary key (user_id, id)
);
`;
