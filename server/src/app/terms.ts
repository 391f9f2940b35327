import { INVITATION_SECONDS } from '@notevault/protocol/members.ts';
import { PUBLIC_LINK_SECONDS_MAX } from '@notevault/protocol/public-links.ts';
import { TICKET_MS } from '../domains/connecting/credentials/tickets/tickets.ts';
import { CODE_SECONDS as LINK_SECONDS } from '../domains/connecting/devices/authorization.ts';
import { ACCESS_SECONDS as DEVICE_ACCESS_SECONDS, REFRESH_MS } from '../domains/connecting/devices/tokens.ts';
import * as oauth from '../domains/connecting/oauth/provider.ts';
import { CONFIRMATION_MS } from '../domains/content/accounts/addresses.ts';
import { RESET_MS } from '../domains/content/accounts/password-reset.ts';
import { INVITE_MS } from '../domains/content/accounts/registration.ts';
import { DAY_MS as ATTEMPTS_MS } from '../domains/content/accounts/sessions/attempts.ts';
import { LOGIN_MS } from '../domains/content/accounts/sessions/login-tokens.ts';
import { ACCESS_SECONDS, SESSION_MS } from '../domains/content/accounts/sessions/refresh-tokens.ts';
import { TICKET_MS as SIGN_IN_TICKET_MS } from '../domains/content/accounts/sessions/second-factor.ts';
import { CHALLENGE_MS } from '../domains/content/identities/passkeys/challenges.ts';
import { MAIL_MS } from '../domains/content/mails/mails.ts';
import { KEPT_MS as IMPORT_MS } from '../domains/exchanging/imports/imports.ts';
import { KEPT_MS as UPLOAD_MS } from '../domains/exchanging/uploads/append.ts';
import { type Clock, latestPlausible } from '../ports/clock/clock.ts';
import type { Database } from '../ports/database/database.ts';
import { statementsOver } from '../ports/database/statement.ts';

type Table = { expires_at: number; kind?: string };
const { statement } = statementsOver<Record<string, Table>>();

/** Tables whose rows expire at `expires_at`, with the maximum lifetime of a row. */
export const TERMS: readonly (readonly [table: string, ms: number, kind?: string])[] = [
  ['access_tokens', ACCESS_SECONDS * 1000],
  ['sessions', SESSION_MS],
  ['sign_in_tickets', SIGN_IN_TICKET_MS],
  ['login_tokens', LOGIN_MS],
  ['used_challenges', CHALLENGE_MS],
  ['password_resets', RESET_MS],
  ['email_confirmations', CONFIRMATION_MS],
  ['outgoing_mails', MAIL_MS],
  ['sign_in_attempts', ATTEMPTS_MS],
  ['invites', INVITE_MS],
  ['invitations', INVITATION_SECONDS.max * 1000],
  ['public_links', PUBLIC_LINK_SECONDS_MAX * 1000],
  ['tickets', TICKET_MS],
  ['uploads', UPLOAD_MS],
  ['imports', IMPORT_MS],
  ['device_authorizations', LINK_SECONDS * 1000],
  ['device_access_tokens', DEVICE_ACCESS_SECONDS * 1000],
  ['device_families', REFRESH_MS],
  ['oauth_tokens', oauth.ACCESS_SECONDS * 1000, 'access'],
  ['oauth_tokens', oauth.CODE_SECONDS * 1000, 'code'],
  ['oauth_tokens', oauth.REFRESH_SECONDS * 1000],
  ['oauth_grants', oauth.REFRESH_SECONDS * 1000],
  ['oauth_transients', oauth.INTERACTION_SECONDS * 1000],
];

const STATEMENTS = TERMS.map(([table, ms, kind]) => {
  const shorten = statement((db, p: { latest: number; until: number }) => {
    const changed = db.updateTable(table).set({ expires_at: p.until }).where('expires_at', '>', p.latest);
    return kind === undefined ? changed : changed.where('kind', '=', kind);
  });
  return { shorten, ms };
});

/** Shortens expiry times that a fast clock has set: a session or link would stay valid until that date. */
export async function shortenTerms(db: Database, clock: Pick<Clock, 'now'>): Promise<void> {
  const now = clock.now();
  for (const { shorten, ms } of STATEMENTS) {
    const terms = { latest: latestPlausible(now, ms), until: now + ms };
    await db.transact((handle) => handle.run(shorten, terms));
  }
}
