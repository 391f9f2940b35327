import type { UserId, VaultId } from '@notevault/protocol/ids.ts';

/** One device link under way: gone once the device has its tokens. */
export interface DeviceAuthorizationRow {
  id: string;
  /** SHA-256 of the device code. */
  device_hash: Buffer;
  /** Blind value of the user code: there are so few codes that a plain hash would give them away. */
  user_code_blind: Buffer;
  /** What the device suggests: names of vault, device and client, sealed under the server's key. */
  names: Buffer;
  /** Least time between two polls. */
  poll_seconds: number;
  polled_at: number | null;
  /** Who looked the code up first: nobody else can use it. */
  user_id: UserId | null;
  /** The vault given; null until then. */
  vault_id: VaultId | null;
  state: 'pending' | 'approved' | 'denied';
  expires_at: number;
}

/** What a device has beside its connection, which goes by the same id and alone stays when the device is revoked. */
export interface DeviceFamilyRow {
  user_id: UserId;
  id: string;
  /** SHA-256 of the part all its refresh tokens share, so that reuse of a forgotten one still names its family. */
  family_hash: Buffer;
  /** What the client calls itself, sealed under the server's key; null when it says nothing. */
  software: Buffer | null;
  /** 90 days after the last refresh. */
  expires_at: number;
}

/** The current refresh token of a device, and those it replaced within the time of grace. */
export interface DeviceRefreshRow {
  user_id: UserId;
  family_id: string;
  /** SHA-256 of the whole token. */
  hash: Buffer;
  /** The token itself, sealed under the server's key: within the grace a replaced token is answered with the current one. */
  sealed: Buffer;
  /** When the next one took its place; null for the current one. */
  replaced_at: number | null;
}

/** One access token of a device. */
export interface DeviceAccessRow {
  /** SHA-256 of the token. */
  hash: Buffer;
  user_id: UserId;
  family_id: string;
  expires_at: number;
}

/** A wrong user code that somebody tried. */
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

// All of it goes with the account: a credential can never outlive whom it stands for.
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
