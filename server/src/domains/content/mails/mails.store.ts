import { statementsOver } from '../../../ports/database/statement.ts';
import type { MailFailure } from '../../../ports/mail/mail.ts';
import type { MailsTables } from './mails.tables.ts';

const { statement, table, deletion } = statementsOver<MailsTables>();

export const insertMail = table('outgoing_mails').insert(
  ...(['id', 'user_id', 'data', 'attempts', 'next_at', 'expires_at'] as const),
);

/** The mail that has waited longest of those whose time has come. */
export const findDue = statement((db, p: { now: number }) =>
  db.selectFrom('outgoing_mails').select('id').where('next_at', '<=', p.now).orderBy('next_at').limit(1),
);

/** An expired mail whose time has not come, because a clock that was ahead wrote it. */
export const findExpired = statement((db, p: { now: number }) =>
  db.selectFrom('outgoing_mails').select('id').where('expires_at', '<=', p.now).limit(1),
);

/** Returns no row when another process has claimed the mail meanwhile. */
export const claimMail = statement((db, p: { id: string; now: number; until: number }) =>
  db
    .updateTable('outgoing_mails')
    .set((eb) => ({ attempts: eb('attempts', '+', 1), next_at: p.until }))
    .where('id', '=', p.id)
    .where((eb) => eb.or([eb('next_at', '<=', p.now), eb('expires_at', '<=', p.now)]))
    .returning(['id', 'data', 'attempts', 'expires_at']),
);

export const delayMail = statement((db, p: { id: string; until: number }) =>
  db.updateTable('outgoing_mails').set({ next_at: p.until }).where('id', '=', p.id),
);

export const deleteMail = table('outgoing_mails').delete('id');

export const deleteExpiredMails = deletion('outgoing_mails', 'id', 'expires_at');

export const countMails = statement((db, _: Record<never, never>) =>
  db.selectFrom('outgoing_mails').select((eb) => eb.fn.countAll<number>().as('waiting')),
);

export const findState = table('mail_state').find(['id'], ['failed_at', 'reason', 'dropped', 'dropped_at']);

export const putFailure = statement((db, p: { now: number; reason: MailFailure }) =>
  db
    .insertInto('mail_state')
    .values({ id: 1, failed_at: p.now, reason: p.reason, dropped: 0, dropped_at: null })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ failed_at: p.now, reason: p.reason })),
);

export const clearFailure = statement((db, _: Record<never, never>) =>
  db
    .updateTable('mail_state')
    .set({ failed_at: null, reason: null })
    .where('id', '=', 1)
    .where('failed_at', 'is not', null),
);

export const countDropped = statement((db, p: { now: number }) =>
  db
    .insertInto('mail_state')
    .values({ id: 1, failed_at: null, reason: null, dropped: 1, dropped_at: p.now })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({ dropped: eb('mail_state.dropped', '+', 1), dropped_at: p.now })),
    ),
);
