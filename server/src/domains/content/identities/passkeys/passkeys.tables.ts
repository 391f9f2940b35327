import type { UserId } from '@notevault/protocol/values/ids.ts';

/** A passkey of an account. */
export interface PasskeyRow {
  id: string;
  user_id: UserId;
  /** Host of the public URL when it was made: browsers offer it only there. */
  host: string;
  /** The id that its authenticator chose. */
  credential_id: Buffer;
  /** COSE key. */
  public_key: Buffer;
  /** Signatures that the authenticator counted at its last use; 0 for one that does not count. */
  counter: number;
  /** Ways to reach its authenticator, separated by spaces. */
  transports: string;
  /** Chosen by the person, sealed under the server's key. */
  name: Buffer;
  /** 1 if a password manager may copy it to other devices, else 0. */
  is_synced: number;
  created_at: number;
  last_used_at: number | null;
  /** When a use was refused because its counter had gone back; null if none was. */
  copied_at: number | null;
}

/** A challenge that was answered, until it expires: no other answer to it is accepted. */
export interface UsedChallengeRow {
  /** SHA-256 of the challenge. */
  hash: Buffer;
  expires_at: number;
}

export interface PasskeyTables {
  passkeys: PasskeyRow;
  used_challenges: UsedChallengeRow;
}

export const passkeysDdl = `
create table passkeys (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  host text not null,
  credential_id bytea not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text not null,
  name bytea not null,
  is_synced bigint not null,
  created_at bigint not null,
  last_used_at bigint,
  copied_at bigint
);
create index passkeys_of_user on passkeys (user_id);
create table used_challenges (
  hash bytea primary key,
  expires_at bigint not null
);
create index used_challenges_expiring on used_challenges (expires_at);
`;
