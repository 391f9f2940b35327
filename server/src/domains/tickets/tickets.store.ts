import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../ports/database/statement.ts';
import type { TicketRow, TicketsTables } from './tickets.tables.ts';

const { statement, deletion } = statementsOver<TicketsTables>();

export const insertTicket = statement((db, { hash, user_id, vault_id, payload, expires_at }: TicketRow) =>
  db.insertInto('tickets').values({ hash, user_id, vault_id, payload, expires_at }),
);

export const findTicket = statement((db, p: { hash: Buffer; now: number }) =>
  db
    .selectFrom('tickets')
    .select(['user_id', 'vault_id', 'payload', 'expires_at'])
    .where('hash', '=', p.hash)
    .where('expires_at', '>', p.now),
);

/** Changes no row when the ticket has been used. */
export const deleteTicket = statement((db, p: { hash: Buffer }) => db.deleteFrom('tickets').where('hash', '=', p.hash));

/** Deletes the tickets of a person for a vault. */
export const deleteTicketsOf = statement((db, p: { userId: UserId; vaultId: VaultId }) =>
  db.deleteFrom('tickets').where('user_id', '=', p.userId).where('vault_id', '=', p.vaultId),
);

export const deleteExpired = deletion('tickets', 'hash', 'expires_at');
