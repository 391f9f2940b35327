import type { BlobId, UserId, VaultId } from '@notevault/protocol/values/ids.ts';

export type ImportState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** An account's import. An account has at most one at a time. */
export interface ImportRow {
  id: string;
  user_id: UserId;
  vault_id: VaultId;
  state: ImportState;
  /** 1 for a dry run, else 0. */
  dry_run: number;
  /** The uploaded archive, sealed; null once it is erased. */
  blob_id: BlobId | null;
  size_bytes: number;
  /** Its progress, results and failure, sealed under the vault's key. */
  progress: Buffer;
  created_at: number;
  expires_at: number;
  /** When the lease of the process that runs it ends; 0 without one. */
  lease_until: number;
}

export interface ImportsTables {
  imports: ImportRow;
}

export const importsDdl = `
create table imports (
  id uuid primary key,
  user_id uuid not null unique references users (id) on delete cascade,
  vault_id uuid not null references vaults (id) on delete cascade,
  state text not null check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  dry_run bigint not null,
  blob_id uuid,
  size_bytes bigint not null,
  progress bytea not null,
  created_at bigint not null,
  expires_at bigint not null,
  lease_until bigint not null
);
create index imports_waiting on imports (created_at) where state in ('queued', 'running');
create index imports_of_vault on imports (vault_id);
create index imports_expiring on imports (expires_at);
`;
