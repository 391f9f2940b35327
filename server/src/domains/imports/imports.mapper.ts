import type { Import } from '@notevault/protocol/imports.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import type { OpenedImport } from './imports.ts';

export function importView({ progress, dryRun, ...row }: OpenedImport): Import {
  return {
    id: row.id,
    vault_id: row.vault_id,
    dry_run: dryRun,
    state: row.state,
    error: progress.error,
    done: progress.done,
    total: progress.total,
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.expires_at),
    report: progress.report,
  };
}
