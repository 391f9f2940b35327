import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { CachePagesTables } from './cache-pages.tables.ts';

const { statement, table } = statementsOver<CachePagesTables>();
const pages = table('cache_pages');

export const findPages = statement((db, p: { vault: VaultId; kind: string; after: string; limit: number }) =>
  db
    .selectFrom('cache_pages')
    .select(['id', 'data'])
    .where('vault_id', '=', p.vault)
    .where('kind', '=', p.kind)
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(p.limit),
);

export const insertPage = pages.insert('vault_id', 'kind', 'id', 'data');

export const deletePages = pages.deleteMany(['vault_id', 'kind'], 'id');

export const deleteAllPages = statement((db, _: Record<never, never>) => db.deleteFrom('cache_pages'));

/** Lower ids are older. */
export const findPagesBelow = statement((db, p: { id: string; limit: number }) =>
  db.selectFrom('cache_pages').select(['vault_id', 'kind', 'id']).where('id', '<', p.id).orderBy('id').limit(p.limit),
);

export const findSomePages = statement((db, p: { vault: VaultId; limit: number }) =>
  db.selectFrom('cache_pages').select(['kind', 'id']).where('vault_id', '=', p.vault).limit(p.limit),
);
