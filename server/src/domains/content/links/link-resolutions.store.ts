import { NIL_UUID, type VaultId } from '@notevault/protocol/values/ids.ts';
import { sql } from 'kysely';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { EntriesTables } from '../entries/entries.tables.ts';
import { edgesIn } from './links.store.ts';
import type { LinkResolutionRow, LinksTables } from './links.tables.ts';

const { statement, listStatement, table } = statementsOver<LinksTables & EntriesTables>();
const resolutions = table('link_resolutions');
const key = ['vault_id', 'name_key', 'is_other'] as const;
const progress = ['since', 'after_source', 'after_ord'] as const;

type LinkedName = Readonly<Pick<LinkResolutionRow, 'name_key' | 'is_other'>>;
export type StoredResolution = LinkedName & Readonly<Pick<LinkResolutionRow, (typeof progress)[number]>>;

/** The keys, of some, under which links are looked up, once for each of the two columns. */
export const findLinkedNames = listStatement((db, p: { vault: VaultId }, keys: Buffer[]) => ({
  compile: () => {
    const columns = [
      [sql.ref('target_key'), sql`0`],
      [sql.ref('other_key'), sql`1`],
    ] as const;
    const firsts = keys.flatMap((name) =>
      columns.map(
        ([column, isOther]) => sql`select * from (
          select ${column} as name_key, ${isOther} as is_other from links
          where vault_id = ${p.vault} and ${column} = ${name} limit 1
        ) as first_referring`,
      ),
    );
    return sql<LinkedName>`${sql.join(firsts, sql` union all `)}`.compile(db);
  },
}));

/** The seqs of entries. */
export const findSeqs = table('entries').findMany(['vault_id'], 'id', ['seq']);

/** The sizes of notes. */
export const findSizes = table('entries').findMany(['vault_id'], 'id', ['id', 'size_bytes']);

/** Adds names; those that wait already begin again, and keep their `since`, which is the earlier one. */
export const addResolutions = listStatement((db, p: { vault: VaultId; since: number }, names: LinkedName[]) =>
  db
    .insertInto('link_resolutions')
    .values(
      names.map(({ name_key, is_other }) => {
        return { vault_id: p.vault, name_key, is_other, since: p.since, after_source: NIL_UUID, after_ord: -1 };
      }),
    )
    .onConflict((conflict) => conflict.columns([...key]).doUpdateSet({ after_source: NIL_UUID, after_ord: -1 })),
);

export const findResolutions = statement((db, p: { vault: VaultId; limit: number }) =>
  db
    .selectFrom('link_resolutions')
    .select(['name_key', 'is_other', ...progress])
    .where('vault_id', '=', p.vault)
    .orderBy('name_key')
    .orderBy('is_other')
    .limit(p.limit),
);

export const putResolution = resolutions.put(key, progress);

export const deleteResolution = resolutions.delete(...key);

/** The vaults in which names wait. */
export const findVaults = statement((db, p: { after: string; limit: number }) =>
  db
    .selectFrom('link_resolutions')
    .select('vault_id')
    .distinct()
    .where('vault_id', '>', p.after)
    .orderBy('vault_id')
    .limit(p.limit),
);

interface EdgesAfter {
  readonly vault: VaultId;
  readonly name: Buffer;
  readonly source: string;
  readonly ord: number;
  readonly limit: number;
}

function edgesAfter(column: 'target_key' | 'other_key') {
  return statement((db, p: EdgesAfter) =>
    edgesIn(db, p.vault)
      .where(column, '=', p.name)
      .where('source_id', '>=', p.source)
      .where((eb) => eb.or([eb('source_id', '>', p.source), eb('ord', '>', p.ord)]))
      .orderBy('source_id')
      .orderBy('ord')
      .limit(p.limit),
  );
}

/** Edges that are looked up under a key, after a given one, by source and position. */
export const findEdgesAfterByKey = edgesAfter('target_key');
export const findEdgesAfterByOtherKey = edgesAfter('other_key');
