import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { Kysely } from 'kysely';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { FeedEntry } from './entries.store.ts';
import { type EntriesTables, FEED_COLUMNS, type ItemKind } from './entries.tables.ts';

const { statement } = statementsOver<EntriesTables>();

function feedOf(db: Kysely<EntriesTables>, vault: VaultId, kind: ItemKind) {
  return db
    .selectFrom('entries')
    .select(FEED_COLUMNS)
    .where('vault_id', '=', vault)
    .where('kind', '=', kind)
    .$castTo<FeedEntry>();
}

/** Notes, attachments and their tombstones written after a seq, ordered by seq. Each kind is read by its own index. */
export const findChangedAfter = statement((db, p: { vault: VaultId; after: number; limit: number }) =>
  feedOf(db, p.vault, 'note')
    .where('seq', '>', p.after)
    .unionAll(feedOf(db, p.vault, 'attachment').where('seq', '>', p.after))
    .orderBy('seq')
    .limit(p.limit),
);

export const findChangedOf = statement((db, p: { vault: VaultId; kind: ItemKind; after: number; limit: number }) =>
  feedOf(db, p.vault, p.kind).where('seq', '>', p.after).orderBy('seq').limit(p.limit),
);

export const findNewest = statement((db, p: { vault: VaultId; kind: ItemKind; limit: number }) =>
  feedOf(db, p.vault, p.kind).where('deleted_at', 'is', null).orderBy('seq', 'desc').limit(p.limit),
);

export const findLiveAfter = statement((db, p: { vault: VaultId; kind: ItemKind; after: number; limit: number }) =>
  feedOf(db, p.vault, p.kind).where('seq', '>', p.after).where('deleted_at', 'is', null).orderBy('seq').limit(p.limit),
);
