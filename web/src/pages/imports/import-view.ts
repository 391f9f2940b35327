import type { Import } from '@notevault/protocol/imports.ts';

/** Steps of this tab before the server has the archive. */
export type Preparation =
  | { readonly step: 'reading'; readonly done: number; readonly total: number }
  | { readonly step: 'sending'; readonly done: number; readonly total: number };

/** View of an import. */
export type ImportView =
  /** `stopped`: the last one was cancelled while it wrote; `error`: why the last one failed. */
  | { readonly show: 'choice'; readonly stopped: boolean; readonly error: string | null }
  | {
      readonly show: 'progress';
      readonly step: 'reading' | 'sending' | 'waiting' | 'checking' | 'importing';
      readonly done: number;
      /** Null until it is known. */
      readonly total: number | null;
      /** Whether it runs for the vault of the page. */
      readonly isElsewhere: boolean;
    }
  | { readonly show: 'report'; readonly job: Import }
  | { readonly show: 'result'; readonly job: Import };

interface ImportFacts {
  readonly preparation: Preparation | null;
  /** The import of the account; null if there is none. */
  readonly job: Import | null;
  /** The id of the import that is not shown any more. */
  readonly dismissed: string | null;
  /** Null when the vault is still to be made. */
  readonly vaultId: string | null;
}

const NOTHING = { show: 'choice', stopped: false, error: null } as const;

/**
 * Decides which view is shown. This tab's own work comes first; imports of other vaults are shown only while they run.
 */
export function importView({ preparation, job, dismissed, vaultId }: ImportFacts): ImportView {
  if (preparation !== null) return { show: 'progress', isElsewhere: false, ...preparation };
  if (job === null || job.id === dismissed) return NOTHING;
  const isElsewhere = job.vault_id !== vaultId;
  if (isRunning(job)) return { show: 'progress', step: stepOf(job), done: job.done, total: job.total, isElsewhere };
  if (isElsewhere) return NOTHING;
  if (job.state === 'cancelled') return { ...NOTHING, stopped: !job.dry_run };
  if (job.state === 'failed') return { ...NOTHING, error: job.error ?? 'internal' };
  return { show: job.dry_run ? 'report' : 'result', job };
}

/** Whether the server works on it, or will. */
export function isRunning({ state }: Pick<Import, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}

function stepOf({ state, dry_run }: Import): 'waiting' | 'checking' | 'importing' {
  if (state === 'queued') return 'waiting';
  return dry_run ? 'checking' : 'importing';
}

/** The files that were left out, by reason, the most frequent first. */
export function skippedByReason(skipped: Import['report']['skipped']): [reason: string, paths: string[]][] {
  const groups = new Map<string, string[]>();
  for (const { path, reason } of skipped) groups.set(reason, [...(groups.get(reason) ?? []), path]);
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
}
