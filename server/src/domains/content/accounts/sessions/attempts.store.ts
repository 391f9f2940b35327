import { statementsOver } from '../../../../ports/database/statement.ts';
import type { AccountsTables } from '../accounts.tables.ts';

const { statement, table, deletion } = statementsOver<AccountsTables>();

const columns = ['count', 'since', 'last_at', 'expires_at'] as const;

export const findAttempts = table('sign_in_attempts').find(['subject'], [...columns]);

/** Makes the row if there is none; locks it until the end of the transaction. */
export const lockAttempts = statement((db, p: { subject: Buffer; now: number }) =>
  db
    .insertInto('sign_in_attempts')
    .values({ subject: p.subject, count: 0, since: p.now, last_at: 0, expires_at: p.now })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet((eb) => ({ count: eb.ref('sign_in_attempts.count') })),
    )
    .returning(columns),
);

export const putAttempts = table('sign_in_attempts').put(['subject'], [...columns]);

/** Takes an attempt back, if its period has not ended: a later one does not count it. */
export const uncountAttempt = statement((db, p: { subject: Buffer; since: number }) =>
  db
    .updateTable('sign_in_attempts')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('subject', '=', p.subject)
    .where('since', '=', p.since)
    .where('count', '>', 0),
);

export const deleteExpiredAttempts = deletion('sign_in_attempts', 'subject', 'expires_at');

export const countSubjects = statement((db, _: Record<never, never>) =>
  db.selectFrom('sign_in_attempts').select((eb) => eb.fn.countAll<number>().as('subjects')),
);

/** Deletes rows beyond a maximum number, those with the fewest attempts first. */
export const deleteBeyond = statement((db, p: { kept: number; limit: number }) =>
  db
    .deleteFrom('sign_in_attempts')
    .where(
      'subject',
      'in',
      db
        .selectFrom('sign_in_attempts')
        .select('subject')
        .orderBy('count', 'desc')
        .orderBy('last_at', 'desc')
        .limit(p.limit)
        .offset(p.kept),
    ),
);
