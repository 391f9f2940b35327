import { statementsOver } from '../../ports/database/statement.ts';
import type { BackupFailure, BackupTables } from './lease.tables.ts';

const { statement } = statementsOver<BackupTables>();

export const findState = statement((db, _: Record<never, never>) => db.selectFrom('backup_state').selectAll());

interface Acquisition {
  readonly holder: string;
  readonly now: number;
  readonly until: number;
  readonly due: number;
  /** Later times than these were stored by a clock that was ahead. */
  readonly latestLease: number;
  readonly latestTaken: number;
}

/** Changes no row while another backup holds the lease, or when one taken from `due` on ended well. */
export const acquire = statement((db, p: Acquisition) =>
  db
    .insertInto('backup_state')
    .values({ id: 1, holder: p.holder, lease_until: p.until, taken_at: null })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ holder: p.holder, lease_until: p.until })
        .where((eb) =>
          eb.or([eb('backup_state.lease_until', '<', p.now), eb('backup_state.lease_until', '>', p.latestLease)]),
        )
        .where((eb) =>
          eb.or([
            eb('backup_state.taken_at', 'is', null),
            eb('backup_state.taken_at', '<', p.due),
            eb('backup_state.taken_at', '>', p.latestTaken),
          ]),
        ),
    ),
);

/** Changes no row when the lease was lost. */
export const extend = statement((db, p: { holder: string; until: number }) =>
  db.updateTable('backup_state').set({ lease_until: p.until }).where('holder', '=', p.holder),
);

export const release = statement((db, p: { holder: string }) =>
  db.updateTable('backup_state').set({ holder: null, lease_until: 0 }).where('holder', '=', p.holder),
);

export const recordSuccess = statement((db, p: { holder: string; takenAt: number }) =>
  db.updateTable('backup_state').set({ taken_at: p.takenAt }).where('holder', '=', p.holder),
);

export const recordFailure = statement((db, p: { holder: string; failedAt: number; failure: BackupFailure }) =>
  db.updateTable('backup_state').set({ failed_at: p.failedAt, failure: p.failure }).where('holder', '=', p.holder),
);

/** Forgets the lease and the successes that a restored database remembers from its past. */
export const forget = statement((db, _: Record<never, never>) => db.deleteFrom('backup_state'));

/** Records the backup from which a database was restored; call it after `forget`. */
export const recordRestored = statement((db, p: { takenAt: number }) =>
  db.insertInto('backup_state').values({ id: 1, holder: null, lease_until: 0, taken_at: p.takenAt }),
);
