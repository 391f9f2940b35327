import * as schema from '@notevault/protocol/accounts.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import { type Route, route } from '../../../http/route.ts';
import type { Identities } from './identities.ts';

export function identitiesRoutes(identities: Identities): Route[] {
  return [
    route({
      method: 'GET',
      path: '/me/sign-in',
      operation: 'getSignInSettings',
      summary: 'How the account can be signed in to',
      responses: { 200: schema.SignInSettings },
      handle: async ({ principal }) => {
        const { confirmedAt, hasMail, methods, totp, ...found } = await identities.settings(principal.userId);
        const app = totp && { confirmed_at: isoTime(totp.confirmedAt), recovery_codes_left: totp.recoveryCodesLeft };
        const joined = found.identities.map(({ id, issuer, email, createdAt, lastUsedAt }) => ({
          ...{ id, issuer, email },
          created_at: isoTime(createdAt),
          last_used_at: isoTime(lastUsedAt),
        }));
        const about = { email_confirmed_at: isoTimeOrNull(confirmedAt), mail: hasMail, methods };
        return { body: { ...about, totp: app, identities: joined } };
      },
    }),
    route({
      method: 'POST',
      path: '/me/totp',
      operation: 'startTotp',
      summary: 'Begin to set up an authenticator app',
      responses: { 200: schema.TotpStarted },
      errors: ['totp_already_set'],
      handle: async ({ principal }) => ({
        headers: { 'cache-control': 'no-store' },
        body: await identities.startTotp(principal.userId),
      }),
    }),
    route({
      method: 'POST',
      path: '/me/totp/confirm',
      operation: 'confirmTotp',
      summary: 'Set up an authenticator app with its first code; from then on signing in needs one',
      body: schema.TotpConfirmBody,
      responses: { 200: schema.TotpConfirmed },
      errors: ['invalid_code', 'totp_already_set'],
      handle: async ({ principal, body }) => ({
        headers: { 'cache-control': 'no-store' },
        body: { recovery_codes: await identities.confirmTotp(principal.userId, body.code) },
      }),
    }),
    route({
      method: 'DELETE',
      path: '/me/totp',
      operation: 'removeTotp',
      summary: 'Remove the authenticator app and its recovery codes',
      responses: { 204: null },
      handle: ({ principal }) => identities.removeTotp(principal.userId),
    }),
    route({
      method: 'DELETE',
      path: '/admin/users/:id/second-factor',
      operation: 'adminResetSecondFactor',
      summary: 'Remove the second factor and the passkeys of an account that has lost them',
      params: IdParams,
      responses: { 204: null },
      errors: ['user_not_found'],
      handle: ({ params }) => identities.resetSecondFactor(params.id),
    }),
  ];
}
