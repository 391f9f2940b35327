/** Why a backup failed: `damaged` when the data that it copies is. */
export type BackupFailure = 'damaged' | 'failed';

export interface BackupStateRow {
  /** Always 1. */
  id: number;
  /** The backup that holds the lease; null when none does. */
  holder: string | null;
  /** When the lease ends unless it is extended, epoch milliseconds. No blob is deleted before that. */
  lease_until: number;
  /** When the last backup that ended well was taken; null before the first one. */
  taken_at: number | null;
  /** When the last backup that failed ended; null if none ever did. */
  failed_at: number | null;
  failure: BackupFailure | null;
}

export interface BackupTables {
  backup_state: BackupStateRow;
}

export const backupDdl = `
create table backup_state (
  id bigint primary key check (id = 1),
  holder uuid,
  lease_until bigint not null,
  taken_at bigint
);
`;

export const backupFailureDdl = `
alter table backup_state add column failed_at bigint;
alter table backup_state add column failure text;
`;
