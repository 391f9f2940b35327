import { statementsOver } from '../../../../ports/database/statement.ts';
import type { TicketsTables } from './tickets.tables.ts';

const { statement, table, deletion } = statementsOver<TicketsTables>();
const tickets = table('tickets');

export const insertTicket = tickets.insert('hash', 'user_id', 'vault_id', 'payload', 'expires_at');

export const findTicket = statement((db, p: { hash: Buffer; now: number }) =>
  db
    .selectFrom('tickets')
    .select(['user_id', 'vault_id', 'payload', 'expires_at'])
    .where('hash', '=', p.hash)
    .where('expires_at', '>', p.now),
);

/** Changes no row when the ticket has been used. */
export const deleteTicket = tickets.delete('hash');

export const deleteTicketsOf = tickets.delete('user_id', 'vault_id');

export const deleteExpired = deletion('tickets', 'hash', 'expires_at');
