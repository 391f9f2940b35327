import type { SessionId, UserId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../../ports/database/statement.ts';
import type { AccountsTables } from '../accounts.tables.ts';

const { statement, table, deletion } = statementsOver<AccountsTables>();
const tickets = table('sign_in_tickets');

export const insertTicket = tickets.insert('hash', 'user_id', 'is_brief', 'tries', 'expires_at');

export const findTicket = statement((db, p: { hash: Buffer; now: number }) =>
  db
    .selectFrom('sign_in_tickets')
    .select(['user_id', 'is_brief'])
    .where('hash', '=', p.hash)
    .where('expires_at', '>', p.now),
);

/** Counts a try before its code is checked; changes no row once there were enough. */
export const tryTicket = statement((db, p: { hash: Buffer; now: number; max: number }) =>
  db
    .updateTable('sign_in_tickets')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('hash', '=', p.hash)
    .where('expires_at', '>', p.now)
    .where('tries', '<', p.max),
);

export const deleteTicket = tickets.delete('hash');
export const deleteTicketsOf = tickets.delete('user_id');
export const deleteExpiredTickets = deletion('sign_in_tickets', 'hash', 'expires_at');

/** The last proof of a session, with its account. */
export const findProof = statement((db, p: { id: SessionId; userId: UserId }) =>
  db
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.proved_at', 'u.id', 'u.role', 'u.password_hash'])
    .where('s.id', '=', p.id)
    .where('s.user_id', '=', p.userId),
);

export const putProof = statement((db, p: { id: SessionId; now: number }) =>
  db.updateTable('sessions').set({ proved_at: p.now }).where('id', '=', p.id),
);
