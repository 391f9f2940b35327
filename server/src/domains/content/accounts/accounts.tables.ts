import type { SessionMethod } from '@notevault/protocol/accounts.ts';
import type { SessionId, UserId } from '@notevault/protocol/values/ids.ts';

export type Role = 'admin' | 'member';

export interface UserRow {
  /** UUIDv7, made by the server. */
  id: UserId;
  /** E-mail in canonical form: trimmed, NFC, lower case. */
  email: string;
  /** argon2id as a PHC string; null for an account without a password, until a reset sets one. */
  password_hash: string | null;
  /** Chosen by the person; at most 80 characters. */
  display_name: string | null;
  role: Role;
  /** Looked up in the table of plans at each use. */
  plan: string;
  /** BCP 47 in canonical casing, as last reported by a client. */
  locale: string | null;
  /** 1 if the person has opted out of analytics, else 0. */
  analytics_opt_out: number;
  created_at: number;
  /** When the operator suspended the account; null while it may be used. */
  suspended_at: number | null;
  /** When its erasure began: from then on the account is unreachable, and the erasure is resumed until the row goes. */
  deleting_at: number | null;
  /** Increases whenever a right of the account, or of one of its credentials, is taken away. */
  rights_version: number;
  /** When the e-mail address was confirmed; null until then. */
  email_confirmed_at: number | null;
}

/** The first account of this server: at most one row, so that concurrent first registrations make one admin. */
export interface FirstAccountRow {
  /** Always 1. */
  id: number;
  claimed_at: number;
}

/** One sign-in, with the refresh tokens that descend from it. Deleting the row revokes all of them. */
export interface SessionRow {
  id: SessionId;
  user_id: UserId;
  /**
   * SHA-256 of the part that all its refresh tokens share, so that reuse of a token that is no longer stored identifies
   * the family.
   */
  family_hash: Buffer;
  /** Address and program from which it was used last, sealed under the server's key; null when there were none. */
  client: Buffer | null;
  created_at: number;
  /** When it was last opened or refreshed. */
  last_used_at: number;
  /** 30 days after the last refresh. */
  expires_at: number;
  /** When its user last proved who they are: at sign-in, or later by a step-up. */
  proved_at: number;
  /** The last step of its sign-in. */
  method: SessionMethod;
}

/** The current refresh token of a session, and those replaced within the grace period. */
export interface RefreshTokenRow {
  session_id: SessionId;
  /** SHA-256 of the whole token. */
  hash: Buffer;
  /** The token under the server's key: within the grace period a replaced one is answered with the current one. */
  sealed: Buffer;
  /** When it was replaced; null for the current one. */
  replaced_at: number | null;
}

export interface AccessTokenRow {
  /** SHA-256 of the token. */
  hash: Buffer;
  session_id: SessionId;
  expires_at: number;
}

/** A sign-in whose password was right, and that lacks the second factor. */
export interface SignInTicketRow {
  /** SHA-256 of the token. */
  hash: Buffer;
  user_id: UserId;
  /** 1 if the session is to end with the browser, else 0. */
  is_brief: number;
  /** Codes that were tried. */
  tries: number;
  expires_at: number;
}

/** A token that signs a person in once: of a login link, or on a page of the server after a sign-in elsewhere. */
export interface LoginTokenRow {
  /** SHA-256 of the token. */
  hash: Buffer;
  user_id: UserId;
  /** SHA-256 of the path of the page that accepts it; of an empty text for the app. */
  page_hash: Buffer;
  expires_at: number;
}

/** An invite to register, until it is used. */
export interface InviteRow {
  id: string;
  /** SHA-256 of the token. */
  hash: Buffer;
  /** The only e-mail that may use it, canonical; null for any. */
  email: string | null;
  created_at: number;
  expires_at: number;
}

/** The open password reset of an account; a newer one replaces it. */
export interface PasswordResetRow {
  user_id: UserId;
  /** SHA-256 of the token. */
  hash: Buffer;
  expires_at: number;
}

/** The open confirmation of an account's e-mail; a newer one replaces it. */
export interface EmailConfirmationRow {
  user_id: UserId;
  /** SHA-256 of the token. */
  hash: Buffer;
  expires_at: number;
}

/** A network from which an account signed in: attempts from there have counts of their own. */
export interface SignInNetworkRow {
  user_id: UserId;
  /** HMAC of the network under the server's key. */
  network_mac: Buffer;
  last_at: number;
}

/** Attempts at one thing, such as the password of an e-mail, in the current period. */
export interface SignInAttemptsRow {
  /** HMAC of what is attempted, under the server's key. */
  subject: Buffer;
  count: number;
  /** When the period began. */
  since: number;
  last_at: number;
  /** When the period ends. */
  expires_at: number;
}

/** A person whom the analytics tool has yet to erase; outlives the account. */
export interface AnalyticsErasureRow {
  user_id: UserId;
  /** The id under which events of the account were sent. */
  analytics_id: string;
  requested_at: number;
}

export interface AccountsTables {
  analytics_erasures: AnalyticsErasureRow;
  users: UserRow;
  first_account: FirstAccountRow;
  sessions: SessionRow;
  refresh_tokens: RefreshTokenRow;
  access_tokens: AccessTokenRow;
  sign_in_tickets: SignInTicketRow;
  login_tokens: LoginTokenRow;
  invites: InviteRow;
  password_resets: PasswordResetRow;
  email_confirmations: EmailConfirmationRow;
  sign_in_networks: SignInNetworkRow;
  sign_in_attempts: SignInAttemptsRow;
}

export const accountRightsDdl = 'alter table users add column rights_version bigint not null default 0;';

/** The networks of sessions that are open at the upgrade are known ones. */
export const signInDdl = `
alter table users add column email_confirmed_at bigint;
create table email_confirmations (
  user_id uuid primary key references users (id) on delete cascade,
  hash bytea not null unique,
  expires_at bigint not null
);
create table sign_in_networks (
  user_id uuid not null references users (id) on delete cascade,
  network_mac bytea not null,
  last_at bigint not null,
  primary key (user_id, network_mac)
);
create index sign_in_networks_by_age on sign_in_networks (last_at);
insert into sign_in_networks (user_id, network_mac, last_at)
  select user_id, network_mac, max(created_at) from sessions where network_mac is not null group by user_id, network_mac;
alter table sessions drop column network_mac;
create table sign_in_attempts (
  subject bytea primary key,
  count bigint not null,
  since bigint not null,
  last_at bigint not null,
  expires_at bigint not null
);
create index sign_in_attempts_expiring on sign_in_attempts (expires_at);
`;

/** Sessions that are open at the upgrade have proved nothing lately. */
export const stepUpDdl = `
alter table sessions add column proved_at bigint not null default 0;
alter table sessions add column method text not null default 'password';
create table sign_in_tickets (
  hash bytea primary key,
  user_id uuid not null references users (id) on delete cascade,
  is_brief bigint not null,
  tries bigint not null,
  expires_at bigint not null
);
create index sign_in_tickets_of_user on sign_in_tickets (user_id);
create index sign_in_tickets_expiring on sign_in_tickets (expires_at);
`;

export const loginTokensDdl = `
create table login_tokens (
  hash bytea primary key,
  user_id uuid not null references users (id) on delete cascade,
  page_hash bytea not null,
  expires_at bigint not null
);
create index login_tokens_of_user on login_tokens (user_id);
create index login_tokens_expiring on login_tokens (expires_at);
`;

// Tokens are deleted with their session and sessions with their account, so no credential outlives its account.
export const accountsDdl = `
create table users (
  id uuid primary key,
  email text not null unique,
  password_hash text,
  display_name text,
  role text not null check (role in ('admin', 'member')),
  plan text not null,
  locale text,
  analytics_opt_out bigint not null,
  created_at bigint not null,
  suspended_at bigint,
  deleting_at bigint
);
create index users_deleting on users (deleting_at) where deleting_at is not null;
create table first_account (
  id bigint primary key check (id = 1),
  claimed_at bigint not null
);
create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  family_hash bytea not null unique,
  network_mac bytea,
  client bytea,
  created_at bigint not null,
  last_used_at bigint not null,
  expires_at bigint not null
);
create index sessions_of_user on sessions (user_id);
create table refresh_tokens (
  session_id uuid not null references sessions (id) on delete cascade,
  hash bytea not null,
  sealed bytea not null,
  replaced_at bigint,
  primary key (session_id, hash)
);
create unique index refresh_tokens_one_current on refresh_tokens (session_id) where replaced_at is null;
create table access_tokens (
  hash bytea primary key,
  session_id uuid not null references sessions (id) on delete cascade,
  expires_at bigint not null
);
create index access_tokens_of_session on access_tokens (session_id);
create table invites (
  id uuid primary key,
  hash bytea not null unique,
  email text,
  created_at bigint not null,
  expires_at bigint not null
);
create table analytics_erasures (
  user_id uuid not null,
  analytics_id text not null,
  requested_at bigint not null,
  primary key (user_id, analytics_id)
);
create table password_resets (
  user_id uuid primary key references users (id) on delete cascade,
  hash bytea not null unique,
  expires_at bigint not null
);
`;
