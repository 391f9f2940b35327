import type { UserId } from '@notevault/protocol/values/ids.ts';

export interface LogRow {
  user_id: UserId;
  /** UUIDv7, made by the server in order of arrival. */
  id: string;
  /** The credential that sent it: a credential restricted to some vaults reads only its own records. */
  credential_id: string;
  /** Blind value of the level, under the user's key; null when there is none. */
  level_blind: Buffer | null;
  /** Blind value of the category, under the user's key; null when there is none. */
  category_blind: Buffer | null;
  /** Everything that the client sent, sealed under the user's key. */
  record: Buffer;
  created_at: number;
}

export interface LogsTables {
  log_records: LogRow;
}

export const logsDdl = `
create table log_records (
  user_id uuid not null references users (id) on delete cascade,
  id uuid not null,
  credential_id uuid not null,
  level_blind bytea,
  category_blind bytea,
  record bytea not null,
  created_at bigint not null,
  primary key (user_id, id)
);
create index log_records_created on log_records (created_at);
`;
