import type { UserId } from '@notevault/protocol/ids.ts';

/** One line that a client's program logged. */
export interface LogRow {
  user_id: UserId;
  /** UUIDv7, made by the server in the order of arrival. */
  id: string;
  /** The credential it came with: what is limited to some vaults sees its own lines only. */
  credential_id: string;
  /** Blind of the level, under the user's key; null when there is none. */
  level_blind: Buffer | null;
  /** Blind of the category, under the user's key; null when there is none. */
  category_blind: Buffer | null;
  /** Everything the client said, sealed under the user's key. */
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
