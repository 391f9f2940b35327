import { statementsOver } from '../../../ports/database/statement.ts';
import type { KeyOwner } from '../../../ports/keyring/keyring.ts';
import type { KeysTables } from './keys.tables.ts';

const { statement } = statementsOver<KeysTables>();

export const insertKey = statement(
  (db, p: { kind: KeyOwner['kind']; id: string; masterKeyId: string; wrapped: Buffer }) =>
    db.insertInto('data_keys').values({
      owner_kind: p.kind,
      owner_id: p.id,
      master_key_id: p.masterKeyId,
      wrapped: p.wrapped,
      seals_granted: 0,
    }),
);

export const findKey = statement((db, p: { kind: KeyOwner['kind']; id: string }) =>
  db
    .selectFrom('data_keys')
    .select(['master_key_id', 'wrapped', 'seals_granted'])
    .where('owner_kind', '=', p.kind)
    .where('owner_id', '=', p.id),
);

/** Grants a block of seals to one process. */
export const grantSeals = statement((db, p: { kind: KeyOwner['kind']; id: string; seals: number }) =>
  db
    .updateTable('data_keys')
    .set((eb) => ({ seals_granted: eb('seals_granted', '+', p.seals) }))
    .where('owner_kind', '=', p.kind)
    .where('owner_id', '=', p.id)
    .returning(['seals_granted']),
);

export const deleteKey = statement((db, p: { kind: KeyOwner['kind']; id: string }) =>
  db.deleteFrom('data_keys').where('owner_kind', '=', p.kind).where('owner_id', '=', p.id),
);

export const keysUnderOtherMasters = statement((db, p: { masterKeyId: string; limit: number }) =>
  db
    .selectFrom('data_keys')
    .select(['owner_kind', 'owner_id', 'master_key_id', 'wrapped'])
    .where('master_key_id', '!=', p.masterKeyId)
    .orderBy('owner_id')
    .limit(p.limit),
);

export const rewrapKey = statement(
  (db, p: { kind: string; id: string; from: string; masterKeyId: string; wrapped: Buffer }) =>
    db
      .updateTable('data_keys')
      .set({ master_key_id: p.masterKeyId, wrapped: p.wrapped })
      .where('owner_kind', '=', p.kind)
      .where('owner_id', '=', p.id)
      .where('master_key_id', '=', p.from),
);

export const countByMaster = statement((db, _: Record<never, never>) =>
  db
    .selectFrom('data_keys')
    .select((eb) => ['master_key_id', eb.fn.countAll<number>().as('keys')])
    .groupBy('master_key_id')
    .orderBy('master_key_id'),
);

export const keysAfter = statement((db, p: { kind: string; id: string; limit: number }) =>
  db
    .selectFrom('data_keys')
    .select(['owner_kind', 'owner_id', 'master_key_id', 'wrapped'])
    .where((eb) =>
      eb.or([eb('owner_kind', '>', p.kind), eb.and([eb('owner_kind', '=', p.kind), eb('owner_id', '>', p.id)])]),
    )
    .orderBy('owner_kind')
    .orderBy('owner_id')
    .limit(p.limit),
);
