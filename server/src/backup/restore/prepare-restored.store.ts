import type { CredentialsTables } from '../../domains/connecting/credentials/credentials.tables.ts';
import type { TicketsTables } from '../../domains/connecting/credentials/tickets/tickets.tables.ts';
import type { DeviceTables } from '../../domains/connecting/devices/devices.tables.ts';
import type { OAuthTables } from '../../domains/connecting/oauth/oauth.tables.ts';
import type { AccountsTables } from '../../domains/content/accounts/accounts.tables.ts';
import type { MailsTables } from '../../domains/content/mails/mails.tables.ts';
import type { MembersTables } from '../../domains/content/members/members.tables.ts';
import type { PublicLinksTables } from '../../domains/exchanging/public-links/public-links.tables.ts';
import { statementsOver } from '../../ports/database/statement.ts';

type Tables = AccountsTables &
  CredentialsTables &
  DeviceTables &
  MailsTables &
  MembersTables &
  OAuthTables &
  PublicLinksTables &
  TicketsTables;

const { statement } = statementsOver<Tables>();

/** Ends all sessions with their access and refresh tokens. */
export const endSessions = statement((db, _: Record<never, never>) => db.deleteFrom('sessions'));

/** Keys, devices and applications, with all their tokens. */
export const endConnections = statement((db, _: Record<never, never>) => db.deleteFrom('connections'));

/** Invitations to vaults, which may have been withdrawn or used up since. */
export const endInvitations = statement((db, _: Record<never, never>) => db.deleteFrom('invitations'));

/** Public links, which may have been ended since. */
export const endPublicLinks = statement((db, _: Record<never, never>) => db.deleteFrom('public_links'));

/** Deletes all credentials that give access for a short time or once. */
export const endOneTimeCredentials = [
  statement((db, _: Record<never, never>) => db.deleteFrom('tickets')),
  statement((db, _: Record<never, never>) => db.deleteFrom('sign_in_tickets')),
  statement((db, _: Record<never, never>) => db.deleteFrom('login_tokens')),
  statement((db, _: Record<never, never>) => db.deleteFrom('invites')),
  statement((db, _: Record<never, never>) => db.deleteFrom('password_resets')),
  statement((db, _: Record<never, never>) => db.deleteFrom('email_confirmations')),
  // With their links; they may have been sent since.
  statement((db, _: Record<never, never>) => db.deleteFrom('outgoing_mails')),
  statement((db, _: Record<never, never>) => db.deleteFrom('device_authorizations')),
  statement((db, _: Record<never, never>) => db.deleteFrom('oauth_transients')),
];
