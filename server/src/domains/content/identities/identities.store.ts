import type { UserId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { IdentitiesTables } from './identities.tables.ts';

const { statement, table } = statementsOver<IdentitiesTables>();
const totp = table('totp_secrets');
const recovery = table('recovery_codes');

export const findTotp = totp.find(['user_id'], ['secret', 'created_at', 'confirmed_at', 'last_step']);

/** Replaces a secret that was not confirmed; changes no row if one was. */
export const putTotp = statement((db, p: { userId: UserId; secret: Buffer; now: number }) =>
  db
    .insertInto('totp_secrets')
    .values({ user_id: p.userId, secret: p.secret, created_at: p.now, confirmed_at: null, last_step: 0 })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ secret: p.secret, created_at: p.now })
        .where('totp_secrets.confirmed_at', 'is', null),
    ),
);

/** Changes one row for the first use of a step's code with this secret, and none after that. */
export const useTotpStep = statement((db, p: { userId: UserId; secret: Buffer; step: number; now: number }) =>
  db
    .updateTable('totp_secrets')
    .set((eb) => ({ last_step: p.step, confirmed_at: eb.fn.coalesce('confirmed_at', eb.val(p.now)) }))
    .where('user_id', '=', p.userId)
    .where('secret', '=', p.secret)
    .where('last_step', '<', p.step),
);

export const deleteTotp = totp.delete('user_id');

/** The accounts between two ids that have a confirmed authenticator app. */
export const findAmong = statement((db, p: { first: UserId; last: UserId }) =>
  db
    .selectFrom('totp_secrets')
    .select('user_id')
    .where('user_id', '>=', p.first)
    .where('user_id', '<=', p.last)
    .where('confirmed_at', 'is not', null),
);

export const insertRecoveryCode = recovery.insert('user_id', 'code_mac');

/** Changes one row for the first use of a code, and none after that. */
export const useRecoveryCode = recovery.delete('user_id', 'code_mac');

export const deleteRecoveryCodes = recovery.delete('user_id');

export const countRecoveryCodes = statement((db, p: { userId: UserId }) =>
  db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('left'))
    .where('user_id', '=', p.userId),
);
