import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { MailFailure } from '../../../ports/mail/mail.ts';

/** A mail that waits to be sent. */
export interface OutgoingMailRow {
  id: string;
  /** The account that it is about, with which it goes; null for one to an address alone. */
  user_id: UserId | null;
  /** Kind, address and link, sealed under the server's key. */
  data: Buffer;
  /** How often it was claimed for sending. */
  attempts: number;
  /** When it may be claimed. A claim moves it, so that no other process sends the mail meanwhile. */
  next_at: number;
  /** When the mail is dropped unsent: its link has expired then, or it is a day old. */
  expires_at: number;
}

/** Failures of mails that admins see: at most one row. */
export interface MailStateRow {
  /** Always 1. */
  id: number;
  /** When the last attempt failed; null once one succeeds. */
  failed_at: number | null;
  reason: MailFailure | null;
  /** Mails that were dropped unsent, and when the last one was. */
  dropped: number;
  dropped_at: number | null;
}

export interface MailsTables {
  outgoing_mails: OutgoingMailRow;
  mail_state: MailStateRow;
}

export const mailsDdl = `
create table outgoing_mails (
  id uuid primary key,
  user_id uuid references users (id) on delete cascade,
  data bytea not null,
  attempts bigint not null,
  next_at bigint not null,
  expires_at bigint not null
);
create index outgoing_mails_due on outgoing_mails (next_at);
create index outgoing_mails_expiring on outgoing_mails (expires_at);
create index outgoing_mails_of_user on outgoing_mails (user_id) where user_id is not null;
create table mail_state (
  id bigint primary key check (id = 1),
  failed_at bigint,
  reason text,
  dropped bigint not null,
  dropped_at bigint
);
`;
