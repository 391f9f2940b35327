import { type Static, Type } from 'typebox';
import { Nullable, Timestamp } from './values/schemas.ts';

export const NewTicket = Type.Object({
  operation: Type.Enum(['attachment.get', 'attachment.put', 'vault.export'], {
    description:
      'What the ticket permits. `attachment.put` needs write access and works once. `vault.export` needs a session and works once: a zip of every note and attachment with their times, and a list of their paths, with which `POST /imports` restores the vault exactly.',
  }),
  path: Type.Optional(Type.String({ description: 'The attachment; not used for `vault.export`.' })),
  max_bytes: Type.Optional(
    Nullable(Type.Integer({ minimum: 0, description: 'Most bytes to upload, besides the plan.' })),
  ),
});
export type NewTicket = Static<typeof NewTicket>;

export const Ticket = Type.Object({
  url: Type.String({ description: 'Where to send the request; it needs no other credential. A secret.' }),
  method: Type.Enum(['GET', 'PUT']),
  expires_at: Timestamp,
});
export type Ticket = Static<typeof Ticket>;

export const TicketParams = Type.Object({ ticket: Type.String({ description: 'The secret of the ticket.' }) });
