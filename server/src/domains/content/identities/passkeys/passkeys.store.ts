import type { UserId } from '@notevault/protocol/values/ids.ts';
import { picked, statementsOver } from '../../../../ports/database/statement.ts';
import type { PasskeyRow, PasskeyTables } from './passkeys.tables.ts';

const { statement, table, deletion } = statementsOver<PasskeyTables>();
const passkeys = table('passkeys');

/** Changes no row if the authenticator's id is known. */
export const insertPasskey = statement((db, p: Omit<PasskeyRow, 'last_used_at' | 'copied_at'>) =>
  db
    .insertInto('passkeys')
    .values({
      ...picked(p, ['id', 'user_id', 'host', 'credential_id', 'public_key', 'counter', 'transports', 'name']),
      ...picked(p, ['is_synced', 'created_at']),
      last_used_at: null,
      copied_at: null,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing()),
);

export const findByCredential = statement((db, p: { credentialId: Buffer; host: string }) =>
  db.selectFrom('passkeys').selectAll().where('credential_id', '=', p.credentialId).where('host', '=', p.host),
);

export const listPasskeys = statement((db, p: { userId: UserId }) =>
  db.selectFrom('passkeys').selectAll().where('user_id', '=', p.userId).orderBy('id'),
);

/** A passkey of an account that can be used at a host. */
export const findUsable = statement((db, p: { userId: UserId; host: string }) =>
  db.selectFrom('passkeys').select('id').where('user_id', '=', p.userId).where('host', '=', p.host).limit(1),
);

/** Counts the passkeys of each account between two ids; accounts without any are left out. */
export const countPasskeys = statement((db, p: { first: UserId; last: UserId }) =>
  db
    .selectFrom('passkeys')
    .select((eb) => ['user_id as userId', eb.fn.countAll<number>().as('passkeys')])
    .where('user_id', '>=', p.first)
    .where('user_id', '<=', p.last)
    .groupBy('user_id'),
);

/** Locks a passkey until the end of the transaction. */
export const lockPasskey = statement((db, p: { id: string }) =>
  db
    .updateTable('passkeys')
    .set((eb) => ({ counter: eb.ref('counter') }))
    .where('id', '=', p.id)
    .returning(['counter', 'is_synced', 'copied_at']),
);

export const recordUse = statement((db, p: { id: string; counter: number; now: number }) =>
  db.updateTable('passkeys').set({ counter: p.counter, last_used_at: p.now }).where('id', '=', p.id),
);

export const markCopied = statement((db, p: { id: string; now: number }) =>
  db.updateTable('passkeys').set({ copied_at: p.now }).where('id', '=', p.id),
);

export const renamePasskey = statement((db, p: { id: string; userId: UserId; name: Buffer }) =>
  db
    .updateTable('passkeys')
    .set({ name: p.name })
    .where('id', '=', p.id)
    .where('user_id', '=', p.userId)
    .returningAll(),
);

export const deletePasskey = passkeys.delete('id', 'user_id');
export const deletePasskeysOf = passkeys.delete('user_id');

/** Changes one row for the first answer to a challenge, and none after that. */
export const useChallenge = statement((db, p: { hash: Buffer; expires_at: number }) =>
  db
    .insertInto('used_challenges')
    .values(picked(p, ['hash', 'expires_at']))
    .onConflict((conflict) => conflict.column('hash').doNothing()),
);

export const deleteExpiredChallenges = deletion('used_challenges', 'hash', 'expires_at');
