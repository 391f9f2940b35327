import { sql } from 'kysely';
import type { Migration } from '../database.ts';
import { statementsOver } from '../statement.ts';

interface Tables {
  items: {
    id: string;
    count: number;
    words: string | null;
    bytes: Buffer | null;
    size: number | null;
    mark: string | null;
  };
  parts: { id: string; item_id: string; later_id: string | null };
  a: { id: string; text: string | null; size: number };
}

/** The tables that the contract's tests work on. */
export const CONTRACT_SCHEMA: readonly Migration[] = [
  {
    number: 1,
    name: 'items',
    ddl: `
      create table items (
        id text primary key, -- a comment with a ; and a text type
        count bigint not null,
        words text unique,
        bytes bytea,
        size double precision check (size > -1000),
        mark uuid
      )`,
  },
  {
    number: 2,
    name: 'parts',
    ddl: `
      create table parts (
        id text primary key,
        item_id text not null references items (id),
        later_id text references items (id) deferrable initially deferred
      );
      create index parts_by_item on parts (item_id)`,
  },
];

const { statement, listStatement } = statementsOver<Tables>();

export const contract = {
  put: statement((db, p: Tables['items']) =>
    db
      .insertInto('items')
      .values({ id: p.id, count: p.count, words: p.words, bytes: p.bytes, size: p.size, mark: p.mark }),
  ),
  putUnlessThere: statement((db, p: Tables['items']) =>
    db
      .insertInto('items')
      .values({ id: p.id, count: p.count })
      .onConflict((conflict) => conflict.column('id').doNothing()),
  ),
  putAll: listStatement((db, _p: object, items: { id: string; count: number }[]) =>
    db.insertInto('items').values(items.map((item) => ({ id: item.id, count: item.count }))),
  ),
  item: statement((db, p: { id: string }) => db.selectFrom('items').selectAll().where('id', '=', p.id)),
  items: statement((db) => db.selectFrom('items').select(['id', 'count']).orderBy('id')),
  itemsIn: listStatement((db, p: { least: number }, ids: string[]) =>
    db.selectFrom('items').select(['id', 'count']).where('count', '>=', p.least).where('id', 'in', ids),
  ),
  total: statement((db) =>
    db
      .selectFrom('items')
      .select([sql<number>`count(*)`.as('rows'), sql<number>`sum(${sql.ref('count')})`.as('total')]),
  ),
  add: statement((db, p: { id: string; by: number }) =>
    db
      .updateTable('items')
      .set({ count: sql`count + ${p.by}` })
      .where('id', '=', p.id),
  ),
  addAll: statement((db, p: { by: number }) => db.updateTable('items').set({ count: sql`count + ${p.by}` })),
  addIn: listStatement((db, p: { by: number }, ids: string[]) =>
    db
      .updateTable('items')
      .set({ count: sql`count + ${p.by}` })
      .where('id', 'in', ids),
  ),
  addReturning: statement((db, p: { id: string; by: number }) =>
    db
      .updateTable('items')
      .set({ count: sql`count + ${p.by}` })
      .where('id', '=', p.id)
      .returning('count'),
  ),
  remove: statement((db, p: { id: string }) => db.deleteFrom('items').where('id', '=', p.id)),
  clearItems: statement((db) => db.deleteFrom('items')),
  putPart: statement((db, p: Tables['parts']) =>
    db.insertInto('parts').values({ id: p.id, item_id: p.item_id, later_id: p.later_id }),
  ),
  parts: statement((db) => db.selectFrom('parts').select('id').orderBy('id')),
  clearParts: statement((db) => db.deleteFrom('parts')),
  migrated: statement((db) => db.selectFrom('a').select(['text', 'size'])),
};
