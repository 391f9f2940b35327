import { type BlobId, NIL_UUID, type VaultId } from '@notevault/protocol/values/ids.ts';
import { type BackupState, backupState } from '../backup/take/lease.ts';
import { migrations } from '../data/migrations.ts';
import type { Keys } from '../domains/foundation/keys/keys.ts';
import type { Readiness } from '../http/monitoring/probes.ts';
import type { BlobKey, Blobs } from '../ports/blobs/blobs.ts';
import type { Clock } from '../ports/clock/clock.ts';
import type { Database } from '../ports/database/database.ts';
import { statementsOver } from '../ports/database/statement.ts';
import { isDamaged, type StorageState } from '../telemetry/storage-state.ts';

export interface ReadinessDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Pick<Clock, 'now' | 'elapsed' | 'schedule'>;
  readonly keys: Pick<Keys, 'probe'>;
  readonly storage: StorageState;
}

/** The store of blobs may be a service that costs money for each request, and anybody may ask whether we are ready. */
const BLOBS_CHECK_MS = 30_000;
const BLOBS_TIMEOUT_MS = 5_000;
const NO_BLOB: BlobKey = { vaultId: NIL_UUID as VaultId, blobId: NIL_UUID as BlobId };

const { statement } = statementsOver<{ schema_migrations: { number: number } }>();
const findLatestStep = statement((db, _: Record<never, never>) =>
  db.selectFrom('schema_migrations').select((eb) => eb.fn.max('number').as('number')),
);

/**
 * Returns a function that resolves to the state of the server's parts; it rejects when the database is down or
 * unreadable. Notes are served without blobs and with damage, and read while the disk is full.
 */
export function readinessOf({ db, blobs, clock, keys, storage }: ReadinessDeps): () => Promise<Readiness> {
  let checked: { readonly at: number; readonly blobs: Promise<Readiness['blobs']> } | undefined;
  return async () => {
    const [, latest, backups] = await unlessAllDamaged(
      keys.probe(),
      db.get(findLatestStep, {}),
      backupState(db, clock),
    );
    const now = clock.elapsed();
    if (checked === undefined || now - checked.at >= BLOBS_CHECK_MS) checked = { at: now, blobs: check(blobs, clock) };
    return {
      database: isDatabaseDamaged(storage, backups, clock.now()) ? 'damaged' : 'ok',
      // Another process may have brought the schema further, as the first step of an upgrade.
      migrations: Number(latest?.number ?? 0) > migrations.length ? 'newer' : 'ok',
      blobs: await checked.blobs,
      storage: storage.isFull ? 'full' : 'ok',
      backup: backups?.failure == null ? 'ok' : 'failed',
    };
  };
}

/** Whether this process or the last backup found damage, and no backup since has found the database sound. */
export function isDatabaseDamaged(storage: StorageState, backups: BackupState | undefined, now: number): boolean {
  const { damagedForMs } = storage;
  const backupAgeMs = now - (backups?.takenAt ?? Number.NEGATIVE_INFINITY);
  return backups?.failure?.reason === 'damaged' || (damagedForMs !== null && damagedForMs <= backupAgeMs);
}

/** Resolves to the results of reads, without those that met damage. Rejects with any other error, or when all met damage. */
async function unlessAllDamaged<Reads extends readonly Promise<unknown>[]>(...reads: Reads) {
  const results = await Promise.allSettled(reads);
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length === reads.length || failures.some((failure) => !isDamaged(failure))) throw failures[0];
  return results.map((result) => (result.status === 'fulfilled' ? result.value : undefined)) as {
    -readonly [At in keyof Reads]: Awaited<Reads[At]> | undefined;
  };
}

/** Whether the store answers: reads a blob that does not exist. */
async function check(blobs: Blobs, clock: Pick<Clock, 'schedule'>): Promise<Readiness['blobs']> {
  const late = Promise.withResolvers<'unavailable'>();
  using _timer = clock.schedule(BLOBS_TIMEOUT_MS, () => late.resolve('unavailable'));
  const read = blobs.read(NO_BLOB).then(
    () => 'ok' as const,
    () => 'unavailable' as const,
  );
  return await Promise.race([read, late.promise]);
}
