import { statfs } from 'node:fs/promises';
import type { Context } from '../app.ts';
import { type BackupState, backupState } from '../backup/take/lease.ts';
import type { Collaboration } from '../domains/reading/sync/sockets/collaboration.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { StorageState } from '../telemetry/storage-state.ts';
import type { Domains } from './domains.ts';
import { isDatabaseDamaged } from './readiness.ts';

export function addGauges(
  metrics: Metrics,
  { notes, cache, search, mcp, uploads, publicLinks }: Domains,
  collaboration: Collaboration,
  { ports: { db, clock }, config, storage }: Pick<Context, 'ports' | 'config'> & { readonly storage: StorageState },
): void {
  const { live } = notes;
  // A scrape must not fail because one number cannot be read.
  const stateOfBackups = () => backupState(db, clock).catch(() => null);
  const gauges: [name: string, help: string, read: () => number | Promise<number>][] = [
    [
      'notevault_backup_age_seconds',
      'Age of the last backup that ended well; NaN before the first one, or if it is not known',
      async () => ageOf(await stateOfBackups(), clock.now()),
    ],
    [
      'notevault_backup_failed',
      '1 if the last backup failed, else 0; NaN if it is not known',
      async () => flagOf(await stateOfBackups(), ({ failure }) => failure !== null),
    ],
    [
      'notevault_database_damaged',
      '1 if this server or the last backup found the database damaged, else 0; NaN if it is not known',
      async () => flagOf(await stateOfBackups(), (backups) => isDatabaseDamaged(storage, backups, clock.now())),
    ],
    ['notevault_disk_free_bytes', 'Free bytes of the disk of the data folder', () => freeBytes(config.dataDir)],
    ['notevault_uploads_open', 'Uploads in slices that have not ended; NaN if it is not known', () => uploads.count()],
    ['notevault_public_links', 'Public links that have not expired; NaN if it is not known', () => publicLinks.count()],
    ['notevault_sockets', 'Authenticated sockets', () => collaboration.stats().sockets],
    ['notevault_live_documents', 'Live documents in memory', () => live.stats().documents],
    ['notevault_live_document_bytes', 'Estimated memory of live documents', () => live.stats().bytes],
    ['notevault_edits_pending', 'Edits not yet in the update log', () => live.stats().edits],
    ['notevault_edit_bytes_pending', 'Sealed bytes of edits not yet in the update log', () => live.stats().editBytes],
    [
      'notevault_notes_to_flush',
      'Notes with edits that are not flushed into their row yet',
      () => live.stats().unflushed,
    ],
    ['notevault_vault_cache_bytes', 'Estimated memory of the vault cache', () => cache.bytes],
    ['notevault_search_index_bytes', 'Estimated memory of search indexes', () => search.stats.indexBytes],
    [
      'notevault_search_pending_requests',
      'Requests that the search thread has not answered',
      () => search.stats.pendingRequests,
    ],
    [
      'notevault_mcp_calls',
      'Calls of assistants that are being served, also those whose client has left',
      () => mcp.running,
    ],
    ['notevault_embedding_notes', 'Notes that are being embedded', () => search.stats.embeddingNotes],
  ];
  for (const [name, help, read] of gauges) metrics.gauge(name, help, read);
}

function ageOf(backups: BackupState | null, now: number): number {
  return backups?.takenAt == null ? Number.NaN : (now - backups.takenAt) / 1000;
}

function flagOf(backups: BackupState | null, isSet: (backups: BackupState) => boolean): number {
  return backups === null ? Number.NaN : Number(isSet(backups));
}

async function freeBytes(folder: string): Promise<number> {
  const disk = await statfs(folder).catch(() => null);
  return disk === null ? Number.NaN : disk.bavail * disk.bsize;
}
