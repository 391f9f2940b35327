import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { excluded, statementsOver } from '../../ports/database/statement.ts';
import type { VaultsTables } from '../vaults/vaults.tables.ts';
import type { SearchTables } from './search.tables.ts';

const { statement, listStatement } = statementsOver<SearchTables & VaultsTables>();

export const findIndex = statement((db, p: { vault: VaultId }) =>
  db.selectFrom('search_indexes').select(['format', 'feed_epoch', 'seq', 'segments']).where('vault_id', '=', p.vault),
);

/** Active vaults with at least `minChanges` changes that no stored index of this format has. */
export const findBehind = statement((db, p: { format: string; minChanges: number; after: string; limit: number }) =>
  db
    .selectFrom('vault_feeds')
    .leftJoin('search_indexes as stored', 'stored.vault_id', 'vault_feeds.vault_id')
    .select(['vault_feeds.vault_id', 'vault_feeds.change_seq'])
    .where('vault_feeds.vault_id', '>', p.after as VaultId)
    .where('vault_feeds.writable', '=', 1)
    .where('vault_feeds.change_seq', '>=', p.minChanges)
    .where((eb) =>
      eb.or([
        eb('stored.vault_id', 'is', null),
        eb('stored.format', '<>', p.format),
        eb('stored.feed_epoch', '<>', eb.ref('vault_feeds.feed_epoch')),
        eb(eb('stored.seq', '+', p.minChanges), '<=', eb.ref('vault_feeds.change_seq')),
      ]),
    )
    .orderBy('vault_feeds.vault_id')
    .limit(p.limit),
);

export const findPart = statement((db, p: { vault: VaultId; segment: string; part: number }) =>
  db
    .selectFrom('search_segments')
    .select(['data'])
    .where('vault_id', '=', p.vault)
    .where('segment_id', '=', p.segment)
    .where('part', '=', p.part),
);

export const insertPart = statement((db, p: { vault: VaultId; segment: string; part: number; data: Uint8Array }) =>
  db
    .insertInto('search_segments')
    .values({ vault_id: p.vault, segment_id: p.segment, part: p.part, data: p.data as Buffer }),
);

interface NewIndex {
  readonly vault: VaultId;
  readonly format: string;
  readonly epoch: number;
  readonly seq: number;
  readonly segments: Buffer;
}

export const putIndex = statement((db, p: NewIndex) =>
  db
    .insertInto('search_indexes')
    .values({ vault_id: p.vault, format: p.format, feed_epoch: p.epoch, seq: p.seq, segments: p.segments })
    .onConflict((conflict) =>
      conflict.column('vault_id').doUpdateSet(excluded('format', 'feed_epoch', 'seq', 'segments')),
    ),
);

export const deleteIndex = statement((db, p: { vault: VaultId }) =>
  db.deleteFrom('search_indexes').where('vault_id', '=', p.vault),
);

/** The segments of a vault with ids above one; one row for each of their parts. */
export const findSegments = statement((db, p: { vault: VaultId; after: string; limit: number }) =>
  db
    .selectFrom('search_segments')
    .select(['segment_id'])
    .where('vault_id', '=', p.vault)
    .where('segment_id', '>', p.after)
    .orderBy('segment_id')
    .limit(p.limit),
);

export const findPartsOf = statement((db, p: { vault: VaultId; segment: string; limit: number }) =>
  db
    .selectFrom('search_segments')
    .select(['part'])
    .where('vault_id', '=', p.vault)
    .where('segment_id', '=', p.segment)
    .limit(p.limit),
);

export const deleteParts = listStatement((db, p: { vault: VaultId; segment: string }, parts: number[]) =>
  db
    .deleteFrom('search_segments')
    .where('vault_id', '=', p.vault)
    .where('segment_id', '=', p.segment)
    .where('part', 'in', parts),
);
