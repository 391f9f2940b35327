import { SignedInResponse } from '@notevault/protocol/accounts.ts';
import * as schema from '@notevault/protocol/passkeys.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import { type Reply, type RequestContext, type Route, route } from '../../../../http/route.ts';
import { type SignedIn, signInCookies } from '../../accounts/accounts.ts';
import type { Identities } from '../identities.ts';
import type { NamedPasskey } from './passkeys.ts';

const headers = { 'cache-control': 'no-store' };

/** Makes the answer to a sign-in, with the cookie of its session. */
type ReplyTo = (signedIn: SignedIn) => Reply<SignedInResponse>;

export function passkeysRoutes({ passkeys }: Identities, replyTo: ReplyTo): Route[] {
  return [...registrationRoutes(passkeys), ...useRoutes(passkeys, replyTo), ...listRoutes(passkeys)];
}

function clientOf({ ip, userAgent }: Pick<RequestContext, 'ip' | 'userAgent'>) {
  return { address: ip, userAgent };
}

function registrationRoutes(passkeys: Identities['passkeys']): Route[] {
  return [
    route({
      method: 'POST',
      path: '/auth/passkeys/register/options',
      operation: 'startPasskey',
      summary: 'Begin to make a passkey',
      responses: { 200: schema.PasskeyCreationOptions },
      errors: ['passkeys_unavailable', 'too_many_passkeys'],
      handle: async ({ principal }) => ({ headers, body: await passkeys.start(principal) }),
    }),
    route({
      method: 'POST',
      path: '/auth/passkeys/register/verify',
      operation: 'addPasskey',
      summary: 'Store the passkey that an authenticator has made',
      body: schema.NewPasskeyBody,
      responses: { 201: schema.PasskeyResponse },
      errors: ['invalid_new_passkey', 'passkeys_unavailable', 'too_many_passkeys'],
      handle: async ({ principal, body }) => ({ body: { passkey: passkeyView(await passkeys.add(principal, body)) } }),
    }),
  ];
}

function useRoutes(passkeys: Identities['passkeys'], replyTo: ReplyTo): Route[] {
  const errors = ['invalid_passkey', 'passkey_copied', 'account_suspended', 'passkeys_unavailable'] as const;
  return [
    route({
      method: 'POST',
      path: '/auth/passkeys/login/options',
      operation: 'startPasskeySignIn',
      summary: 'Begin to sign in with a passkey; the answer is alike for everybody',
      responses: { 200: schema.PasskeyRequestOptions },
      errors: ['passkeys_unavailable'],
      handle: async () => ({ headers, body: await passkeys.startSignIn() }),
    }),
    route({
      method: 'POST',
      path: '/auth/passkeys/login/verify',
      operation: 'signInByPasskey',
      summary: 'Sign in with a passkey',
      body: schema.PasskeyLoginBody,
      responses: { 200: SignedInResponse },
      errors,
      handle: async ({ body, ...from }) => replyTo(await passkeys.signIn(body, clientOf(from))),
    }),
    route({
      method: 'POST',
      path: '/auth/passkeys/login/page',
      operation: 'signInOnPage',
      summary: 'Sign in with a passkey for a page of the server that has no scripts',
      body: schema.PasskeyPageBody,
      responses: { 204: null },
      errors,
      handle: async ({ body, ...from }) => {
        const token = await passkeys.signInOnPage(body, clientOf(from));
        return { cookies: [signInCookies.loginToken(body.page, token)] };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/step-up/options',
      operation: 'startStepUp',
      summary: 'Begin to prove with a passkey who uses the session',
      responses: { 200: schema.PasskeyRequestOptions },
      errors: ['passkeys_unavailable'],
      handle: async ({ principal }) => ({ headers, body: await passkeys.startStepUp(principal) }),
    }),
  ];
}

function listRoutes(passkeys: Identities['passkeys']): Route[] {
  return [
    route({
      method: 'GET',
      path: '/me/passkeys',
      operation: 'listPasskeys',
      summary: 'The passkeys of the account',
      responses: { 200: schema.PasskeysResponse },
      handle: async ({ principal }) => ({
        body: { passkeys: (await passkeys.list(principal.userId)).map(passkeyView) },
      }),
    }),
    route({
      method: 'PATCH',
      path: '/me/passkeys/:id',
      operation: 'renamePasskey',
      summary: 'Rename a passkey',
      params: IdParams,
      body: schema.RenamePasskeyBody,
      responses: { 200: schema.PasskeyResponse },
      errors: ['passkey_not_found'],
      handle: async ({ principal, params, body }) => ({
        body: { passkey: passkeyView(await passkeys.rename(principal.userId, params.id, body.name)) },
      }),
    }),
    route({
      method: 'DELETE',
      path: '/me/passkeys/:id',
      operation: 'deletePasskey',
      summary: 'Delete a passkey',
      params: IdParams,
      responses: { 204: null },
      errors: ['passkey_not_found', 'last_sign_in_method'],
      handle: ({ principal, params }) => passkeys.delete(principal.userId, params.id),
    }),
  ];
}

function passkeyView(passkey: NamedPasskey): schema.Passkey {
  const { id, name, host, transports, is_synced, created_at, last_used_at, copied_at } = passkey;
  return {
    id,
    name,
    host,
    synced: is_synced !== 0,
    transports: transports.split(' ').filter((each) => each !== ''),
    created_at: isoTime(created_at),
    last_used_at: isoTimeOrNull(last_used_at),
    copied_at: isoTimeOrNull(copied_at),
  };
}
