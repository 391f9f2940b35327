import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { VaultsTables } from '../../content/vaults/vaults.tables.ts';
import type { SearchTables } from './search.tables.ts';

const { statement, table } = statementsOver<SearchTables & VaultsTables>();
const indexes = table('search_indexes');
const segments = table('search_segments');

export const findIndex = indexes.find(['vault_id'], ['format', 'feed_epoch', 'seq', 'segments']);

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

export const findPart = segments.find(['vault_id', 'segment_id', 'part'], ['data']);

export const insertPart = segments.insert('vault_id', 'segment_id', 'part', 'data');

export const putIndex = indexes.put(['vault_id'], ['format', 'feed_epoch', 'seq', 'segments']);

export const deleteIndex = indexes.delete('vault_id');

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

export const deleteParts = segments.deleteMany(['vault_id', 'segment_id'], 'part');
