import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { excluded, picked, statementsOver } from '../../../../ports/database/statement.ts';
import type { EntriesTables } from '../../../content/entries/entries.tables.ts';
import type { VaultsTables } from '../../../content/vaults/vaults.tables.ts';
import type { SearchVectorsRow, VectorsTables } from './vectors.tables.ts';

const { statement, listStatement, table } = statementsOver<VectorsTables & EntriesTables & VaultsTables>();
const vectors = table('search_vectors');
const embeddings = table('search_embeddings');

type Due = { model: string; now: number; latestLease: number; wantedSince: number; after: string; limit: number };

/**
 * Active vaults without a lease that were written to since they were embedded, or were embedded by another model; only
 * vaults whose vectors were requested since `wantedSince` (-1 for all).
 */
export const findDue = statement((db, p: Due) =>
  db
    .selectFrom('vault_feeds')
    .leftJoin('search_embeddings as progress', 'progress.vault_id', 'vault_feeds.vault_id')
    .select('vault_feeds.vault_id')
    .where('vault_feeds.vault_id', '>', p.after as VaultId)
    .where('vault_feeds.writable', '=', 1)
    .where('vault_feeds.change_seq', '>', 0)
    .where((eb) => eb(eb.fn.coalesce('progress.wanted_at', eb.lit(-1)), '>=', p.wantedSince))
    .where((eb) =>
      eb.or([
        eb('progress.vault_id', 'is', null),
        eb.and([
          eb.or([eb('progress.lease_until', '<=', p.now), eb('progress.lease_until', '>', p.latestLease)]),
          eb.or([
            eb('progress.seq', '<', eb.ref('vault_feeds.change_seq')),
            eb('progress.model', '<>', p.model),
            eb('progress.feed_epoch', '<>', eb.ref('vault_feeds.feed_epoch')),
          ]),
        ]),
      ]),
    )
    .orderBy('vault_feeds.vault_id')
    .limit(p.limit),
);

/** Failed notes that are due for another attempt, the longest due first. */
export const findRetries = statement((db, p: { now: number; latest: number; limit: number }) =>
  db
    .selectFrom('search_vectors')
    .select(['vault_id', 'note_id'])
    .where('retry_at', 'is not', null)
    .where((eb) => eb.or([eb('retry_at', '<=', p.now), eb('retry_at', '>', p.latest)]))
    .orderBy('retry_at')
    .limit(p.limit),
);

export const findEmbedding = embeddings.find(['vault_id'], ['model', 'feed_epoch', 'seq', 'vseq', 'wanted_at']);

const newProgress = (p: { vault: VaultId; model: string; epoch: number }) => {
  const progress = { vault_id: p.vault, model: p.model, feed_epoch: p.epoch, seq: 0, vseq: 0 };
  return { ...progress, lease: null, lease_until: 0, wanted_at: 0 };
};

type VectorDemandRow = { vault: VaultId; model: string; epoch: number; now: number; wantedSince: number };

/**
 * Records that the vectors of a vault were requested. Unused vectors are checked again, because dropping them may have
 * been interrupted.
 */
export const want = statement((db, p: VectorDemandRow) =>
  db
    .insertInto('search_embeddings')
    .values({ ...newProgress(p), wanted_at: p.now })
    .onConflict((conflict) =>
      conflict.column('vault_id').doUpdateSet((eb) => ({
        wanted_at: p.now,
        seq: eb
          .case()
          .when('search_embeddings.wanted_at', '<', p.wantedSince)
          .then(eb.lit(0))
          .else(eb.ref('search_embeddings.seq'))
          .end(),
      })),
    ),
);

/** Selects vaults without a lease whose vectors were not requested since a time. */
export const findUnused = statement((db, p: { wantedSince: number; now: number; latestLease: number; limit: number }) =>
  db
    .selectFrom('search_embeddings')
    .select('vault_id')
    .where((eb) => eb('seq', '>', eb.lit(0)))
    .where('wanted_at', '<', p.wantedSince)
    .where((eb) => eb.or([eb('lease_until', '<=', p.now), eb('lease_until', '>', p.latestLease)]))
    .limit(p.limit),
);

/** Claims the vectors of a vault in order to drop them; changes nothing if they were requested or are leased. */
export const claimUnused = statement(
  (db, p: { vault: VaultId; wantedSince: number; lease: string; now: number; until: number; latestLease: number }) =>
    db
      .updateTable('search_embeddings')
      .set({ lease: p.lease, lease_until: p.until })
      .where('vault_id', '=', p.vault)
      .where((eb) => eb.or([eb('lease_until', '<=', p.now), eb('lease_until', '>', p.latestLease)]))
      .where('wanted_at', '<', p.wantedSince)
      .returning('vault_id'),
);

type Claim = { vault: VaultId; model: string; epoch: number; lease: string } & LeaseTimes;

interface LeaseTimes {
  now: number;
  until: number;
  /** A lease that ends later was written by a clock that was ahead. */
  latestLease: number;
}

/** Acquires or extends the lease; returns no row while another process holds it. */
export const claim = statement((db, p: Claim) =>
  db
    .insertInto('search_embeddings')
    .values({ ...newProgress(p), lease: p.lease, lease_until: p.until })
    .onConflict((conflict) =>
      conflict
        .column('vault_id')
        .doUpdateSet({ lease: p.lease, lease_until: p.until })
        .where((eb) =>
          eb.or([
            eb('search_embeddings.lease_until', '<=', p.now),
            eb('search_embeddings.lease_until', '>', p.latestLease),
            eb('search_embeddings.lease', '=', p.lease),
          ]),
        ),
    )
    .returning(['model', 'feed_epoch', 'seq', 'vseq']),
);

/** Starts over, for another model or another epoch of the feed. */
export const restart = statement((db, p: { vault: VaultId; lease: string; model: string; epoch: number }) =>
  db
    .updateTable('search_embeddings')
    .set({ model: p.model, feed_epoch: p.epoch, seq: 0 })
    .where('vault_id', '=', p.vault)
    .where('lease', '=', p.lease),
);

type Progress = { vault: VaultId; lease: string; until: number; rows: number; seq: number };

/**
 * Advances the progress of the process that holds the lease, and takes vseqs for the given number of rows. It must come
 * first in its transaction, so that vseqs become visible in order.
 */
export const advance = statement((db, p: Progress) =>
  db
    .updateTable('search_embeddings')
    .set((eb) => ({ seq: p.seq, vseq: eb('vseq', '+', p.rows), lease_until: p.until }))
    .where('vault_id', '=', p.vault)
    .where('lease', '=', p.lease)
    .returning(['vseq']),
);

export const release = statement((db, p: { vault: VaultId; lease: string }) =>
  db
    .updateTable('search_embeddings')
    .set({ lease: null, lease_until: 0 })
    .where('vault_id', '=', p.vault)
    .where('lease', '=', p.lease),
);

const WRITTEN = ['version', 'vseq', 'data', 'failures', 'retry_at'] as const;
export type NewVectors = Readonly<Pick<SearchVectorsRow, 'note_id' | (typeof WRITTEN)[number]>>;

export const putVectors = listStatement((db, p: { vault: VaultId; model: string }, rows: NewVectors[]) =>
  db
    .insertInto('search_vectors')
    .values(rows.map((row) => ({ vault_id: p.vault, model: p.model, ...picked(row, ['note_id', ...WRITTEN]) })))
    .onConflict((conflict) => conflict.columns(['vault_id', 'note_id']).doUpdateSet(excluded('model', ...WRITTEN))),
);

export const postpone = listStatement((db, p: { vault: VaultId; until: number }, notes: string[]) =>
  db
    .updateTable('search_vectors')
    .set({ retry_at: p.until })
    .where('vault_id', '=', p.vault)
    .where('retry_at', 'is not', null)
    .where('note_id', 'in', notes),
);

export const deleteVectors = vectors.deleteMany(['vault_id'], 'note_id');

export const findVersions = vectors.findMany(['vault_id'], 'note_id', ['note_id', 'model', 'version', 'failures']);

export const findVectorsOf = vectors.findMany(['vault_id', 'model'], 'note_id', ['note_id', 'version', 'vseq', 'data']);

export const findVectorsAfter = statement((db, p: { vault: VaultId; model: string; after: number; limit: number }) =>
  db
    .selectFrom('search_vectors')
    .select(['note_id', 'version', 'vseq', 'data'])
    .where('vault_id', '=', p.vault)
    .where('vseq', '>', p.after)
    .where('model', '=', p.model)
    .orderBy('vseq')
    .limit(p.limit),
);

/** Counts live notes, those of them written after a seq, and those up to it that failed. */
export const countNotes = statement((db, p: { vault: VaultId; seq: number }) =>
  db
    .selectFrom('vault_feeds')
    .select((eb) => [
      'vault_feeds.note_count as total',
      eb
        .selectFrom('entries')
        .select(({ fn }) => fn.countAll<number>().as('pending'))
        .where('entries.vault_id', '=', p.vault)
        .where('entries.kind', '=', 'note')
        .where('entries.seq', '>', p.seq)
        .where('entries.deleted_at', 'is', null)
        .as('pending'),
      eb
        .selectFrom('search_vectors')
        .innerJoin('entries', (join) =>
          join
            .onRef('entries.vault_id', '=', 'search_vectors.vault_id')
            .onRef('entries.id', '=', 'search_vectors.note_id'),
        )
        .select(({ fn }) => fn.countAll<number>().as('failed'))
        .where('search_vectors.vault_id', '=', p.vault)
        .where('search_vectors.retry_at', 'is not', null)
        .where('entries.kind', '=', 'note')
        .where('entries.seq', '<=', p.seq)
        .where('entries.deleted_at', 'is', null)
        .as('failed'),
    ])
    .where('vault_feeds.vault_id', '=', p.vault),
);

export const deleteSomeVectors = vectors.deleteSome(['vault_id'], 'note_id');

/**
 * Makes the vault be embedded from its first note on, and ends the lease. The vseq is not reset: remaining rows keep
 * theirs, and readers would ignore a lower one as known.
 */
export const resetEmbedding = statement((db, p: { vault: VaultId }) =>
  db.updateTable('search_embeddings').set({ seq: 0, lease: null, lease_until: 0 }).where('vault_id', '=', p.vault),
);

export const deleteEmbedding = embeddings.delete('vault_id');
