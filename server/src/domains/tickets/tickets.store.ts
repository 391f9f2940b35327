import { statementsOver } from '../../ports/database/statement.ts';
import type { TicketRow, TicketsTables } from './tickets.tables.ts';

const { statement } = statementsOver<TicketsTables>();

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

export const deleteExpired = statement((db, p: { until: number; limit: number }) =>
  db
    .deleteFrom('tickets')
    .where('hash', 'in', (eb) =>
      eb.selectFrom('tickets').select('hash').where('expires_at', '<=', p.until).orderBy('expires_at').limit(p.limit),
    ),
);
