import { statementsOver } from '../statement.ts';
import type { ServerIdentityTables } from './identity.tables.ts';

const { statement } = statementsOver<ServerIdentityTables>();

/** Changes no row when an identity is stored. */
export const insertIdentity = statement((db, p: { identity: string }) =>
  db
    .insertInto('server_identity')
    .values({ id: 1, identity: p.identity })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

/** Changes no row when this identity is stored. */
export const replaceIdentity = statement((db, p: { identity: string }) =>
  db.updateTable('server_identity').set({ identity: p.identity }).where('identity', '<>', p.identity),
);
