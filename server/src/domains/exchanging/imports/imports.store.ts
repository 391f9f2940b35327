import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { picked, statementsOver } from '../../../ports/database/statement.ts';
import type { ImportRow, ImportState, ImportsTables } from './imports.tables.ts';

const { statement, table } = statementsOver<ImportsTables>();

/** Changes no row while the account has another import. */
export const insertImport = statement((db, p: ImportRow) =>
  db
    .insertInto('imports')
    .values({
      ...picked(p, ['id', 'user_id', 'vault_id', 'state', 'dry_run', 'blob_id', 'size_bytes']),
      ...picked(p, ['progress', 'created_at', 'expires_at', 'lease_until']),
    })
    .onConflict((conflict) => conflict.column('user_id').doNothing()),
);

export const findOfUser = statement((db, p: { userId: UserId; now: number }) =>
  db.selectFrom('imports').selectAll().where('user_id', '=', p.userId).where('expires_at', '>', p.now),
);

/** Deletes the import of a user that is over, so that another can begin; returns its archive. */
export const deleteEnded = statement((db, p: { userId: UserId; now: number }) =>
  db
    .deleteFrom('imports')
    .where('user_id', '=', p.userId)
    .where((eb) => eb.or([eb('state', 'not in', ['queued', 'running']), eb('expires_at', '<=', p.now)]))
    .returning(['vault_id', 'blob_id']),
);

export const deleteImport = table('imports').delete('id');

/** Claims the oldest import that waits or was left. A lease after `latest` is of a clock that was ahead. */
export const claim = statement((db, p: { now: number; until: number; latest: number }) =>
  db
    .updateTable('imports')
    .set({ state: 'running', lease_until: p.until })
    .where('id', '=', (eb) =>
      eb
        .selectFrom('imports as i')
        .select('i.id')
        .where('i.state', 'in', ['queued', 'running'])
        .where((lease) => lease.or([lease('i.lease_until', '<', p.now), lease('i.lease_until', '>', p.latest)]))
        .where('i.expires_at', '>', p.now)
        .orderBy('i.created_at')
        .limit(1),
    )
    // Checked again, because another process may have taken it meanwhile.
    .where('state', 'in', ['queued', 'running'])
    .where((lease) => lease.or([lease('lease_until', '<', p.now), lease('lease_until', '>', p.latest)]))
    .returningAll(),
);

/** Saves the progress; changes no row when the import was cancelled or another process runs it. */
export const saveProgress = statement(
  (db, p: { id: string; held: number; state: ImportState; until: number; progress: Buffer }) =>
    db
      .updateTable('imports')
      .set({ state: p.state, lease_until: p.until, progress: p.progress })
      .where('id', '=', p.id)
      .where('state', '=', 'running')
      .where('lease_until', '=', p.held),
);

export const cancelIn = statement((db, p: { userId: UserId; vaultId: VaultId }) =>
  db
    .updateTable('imports')
    .set({ state: 'cancelled' })
    .where('user_id', '=', p.userId)
    .where('vault_id', '=', p.vaultId)
    .where('state', 'in', ['queued', 'running', 'done', 'failed']),
);

export const cancel = statement((db, p: { id: string; userId: UserId }) =>
  db
    .updateTable('imports')
    .set({ state: 'cancelled' })
    .where('id', '=', p.id)
    .where('user_id', '=', p.userId)
    .where('state', 'in', ['queued', 'running', 'done', 'failed']),
);

/** Queues a finished dry run as an import; changes no row for any other. */
export const apply = statement((db, p: { id: string; userId: UserId; now: number; progress: Buffer }) =>
  db
    .updateTable('imports')
    .set({ state: 'queued', dry_run: 0, lease_until: 0, progress: p.progress })
    .where('id', '=', p.id)
    .where('user_id', '=', p.userId)
    .where('state', '=', 'done')
    .where('dry_run', '=', 1)
    .where('blob_id', 'is not', null)
    .where('expires_at', '>', p.now),
);

/** Archives that nothing needs any more. */
export const findArchives = statement((db, p: { now: number; limit: number }) =>
  db
    .selectFrom('imports')
    .select(['id', 'vault_id', 'blob_id'])
    .where('blob_id', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('state', 'in', ['failed', 'cancelled']),
        eb.and([eb('state', '=', 'done'), eb('dry_run', '=', 0)]),
        eb('expires_at', '<=', p.now),
      ]),
    )
    .limit(p.limit),
);

export const forgetArchive = statement((db, p: { id: string }) =>
  db.updateTable('imports').set({ blob_id: null }).where('id', '=', p.id),
);

export const deleteExpired = statement((db, p: { now: number }) =>
  db.deleteFrom('imports').where('expires_at', '<=', p.now).where('blob_id', 'is', null),
);
