import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';

/** Preferences of a person, stored for all their clients. */
export interface PreferencesRow {
  user_id: UserId;
  /** A JSON object, sealed under the user's key. */
  data: Buffer;
  /** Increases with each write of `data`, which is sealed for this version only. */
  version: number;
}

/** The notes of a vault that a person opened last. */
export interface OpenedNotesRow {
  user_id: UserId;
  vault_id: VaultId;
  /** Ids and times, sealed under the user's key, because they show which notes a person reads. */
  data: Buffer;
  version: number;
}

export interface PersonalTables {
  preferences: PreferencesRow;
  opened_notes: OpenedNotesRow;
}

export const personalDdl = `
create table preferences (
  user_id uuid primary key references users (id) on delete cascade,
  data bytea not null,
  version bigint not null
);
create table opened_notes (
  user_id uuid not null references users (id) on delete cascade,
  vault_id uuid not null references vaults (id) on delete cascade,
  data bytea not null,
  version bigint not null,
  primary key (user_id, vault_id)
);
create index opened_notes_of_vault on opened_notes (vault_id);
`;
