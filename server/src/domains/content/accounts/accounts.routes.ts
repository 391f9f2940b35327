import * as schema from '@notevault/protocol/accounts.ts';
import { DeletedCount, IdParams } from '@notevault/protocol/values/schemas.ts';
import { type RequestContext, type Route, route } from '../../../http/route.ts';
import {
  REFRESH_COOKIE,
  sessionsView,
  signedInReply,
  signedOutReply,
  tokensReply,
  userView,
} from './accounts.mapper.ts';
import type { Accounts } from './accounts.ts';

export function accountsRoutes(accounts: Accounts): Route[] {
  return [
    ...signInRoutes(accounts),
    ...sessionRoutes(accounts),
    ...sessionListRoutes(accounts),
    ...passwordRoutes(accounts),
    ...addressRoutes(accounts),
    ...profileRoutes(accounts),
  ];
}

function clientOf({ ip, userAgent }: Pick<RequestContext, 'ip' | 'userAgent'>) {
  return { address: ip, userAgent };
}

function signInRoutes(accounts: Accounts): Route[] {
  return [
    route({
      method: 'POST',
      path: '/auth/register',
      operation: 'register',
      summary: 'Create an account and sign in',
      body: schema.RegisterBody,
      responses: { 201: schema.SignedInResponse },
      errors: [
        'email_and_password_required',
        'password_too_short',
        'password_too_long',
        'registration_failed',
        'password_login_off',
        'registration_closed',
        'invite_required',
        'invite_invalid',
        'setup_token_required',
        'setup_token_invalid',
      ],
      handle: async ({ body, ...from }) => signedInReply(await accounts.register(body ?? {}, clientOf(from))),
    }),
    route({
      method: 'POST',
      path: '/auth/login',
      operation: 'login',
      summary: 'Sign in',
      body: schema.LoginBody,
      responses: { 200: schema.SignedInResponse },
      errors: [
        'email_and_password_required',
        'invalid_credentials',
        'account_suspended',
        'second_factor_required',
        'password_login_off',
      ],
      handle: async ({ body, ...from }) => signedInReply(await accounts.login(body ?? {}, clientOf(from))),
    }),
    route({
      method: 'POST',
      path: '/auth/second-factor',
      operation: 'proveSecondFactor',
      summary: 'Finish a sign-in with a code of the second factor',
      body: schema.SecondFactorBody,
      responses: { 200: schema.SignedInResponse },
      errors: ['invalid_ticket', 'invalid_code', 'account_suspended'],
      handle: async ({ body, ...from }) => signedInReply(await accounts.proveSecondFactor(body, clientOf(from))),
    }),
    route({
      method: 'POST',
      path: '/auth/login-link',
      operation: 'loginByLink',
      summary: 'Sign in with the token of a link that the operator made',
      body: schema.LoginLinkBody,
      responses: { 200: schema.SignedInResponse },
      errors: ['invalid_login_token', 'account_suspended'],
      handle: async ({ body, ...from }) => signedInReply(await accounts.loginByLink(body.token, clientOf(from))),
    }),
    route({
      method: 'POST',
      path: '/auth/step-up',
      operation: 'stepUp',
      summary: 'Prove once more who uses the session',
      body: schema.StepUpBody,
      responses: { 200: schema.Ok },
      errors: [
        ...(['invalid_password', 'invalid_code', 'password_required', 'password_login_off'] as const),
        ...(['passkey_not_proved', 'passkey_copied'] as const),
      ],
      handle: async ({ principal, body }) => {
        await accounts.stepUp(principal, body);
        return { body: { ok: true } };
      },
    }),
  ];
}

function sessionRoutes(accounts: Accounts): Route[] {
  return [
    route({
      method: 'POST',
      path: '/auth/refresh',
      operation: 'refreshSession',
      summary: 'Exchange the refresh cookie for a new access token',
      // All of an office call from one address, and every page that is opened refreshes its session.
      countedFor: (cookies) => accounts.findRefreshable(cookies[REFRESH_COOKIE]),
      responses: { 200: schema.TokensResponse },
      errors: ['no_refresh_token', 'invalid_refresh_token', 'suspended', 'foreign_origin'],
      handle: async ({ cookies, ...from }) =>
        tokensReply(await accounts.refresh(cookies[REFRESH_COOKIE], clientOf(from))),
    }),
    route({
      method: 'POST',
      path: '/auth/logout',
      operation: 'logout',
      summary: 'End the session',
      query: schema.LogoutQuery,
      responses: { 204: null },
      errors: ['foreign_origin'],
      handle: async ({ cookies, authorization, query }) => {
        await accounts.logout(cookies[REFRESH_COOKIE], authorization);
        return signedOutReply(query.clear === 'true');
      },
    }),
    route({
      method: 'GET',
      path: '/auth/bootstrap',
      operation: 'bootstrap',
      summary: 'Whether the first account is still missing, and who may register',
      responses: { 200: schema.BootstrapResponse },
      handle: async ({ header }) => {
        const { pending, mode, hasMail, methods, providerName } = await accounts.bootstrap(header('host'));
        const oidc = providerName === null ? null : { name: providerName };
        return { body: { bootstrap_pending: pending, registration_mode: mode, mail: hasMail, methods, oidc } };
      },
    }),
  ];
}

function sessionListRoutes(accounts: Accounts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/me/sessions',
      operation: 'listSessions',
      summary: 'The sessions of the account, one for each sign-in',
      responses: { 200: schema.SessionsResponse },
      handle: async ({ principal }) => ({
        body: sessionsView(await accounts.sessionsOf(principal.userId), principal.credentialId),
      }),
    }),
    route({
      method: 'DELETE',
      path: '/me/sessions/:id',
      operation: 'endSession',
      summary: 'End one session of the account',
      params: IdParams,
      responses: { 204: null },
      errors: ['session_not_found'],
      handle: ({ principal, params }) => accounts.endSession(principal.userId, params.id),
    }),
    route({
      method: 'DELETE',
      path: '/me/sessions',
      operation: 'endOtherSessions',
      summary: 'End every session of the account but that of this request',
      responses: { 200: DeletedCount },
      handle: async ({ principal }) => ({ body: { deleted: await accounts.endOtherSessions(principal) } }),
    }),
  ];
}

function passwordRoutes(accounts: Accounts): Route[] {
  return [
    route({
      method: 'POST',
      path: '/auth/password/change',
      operation: 'changePassword',
      summary: 'Change the password and end every other session',
      body: schema.PasswordChangeBody,
      responses: { 200: schema.Ok },
      errors: [
        'wrong_old_password',
        'password_too_short',
        'password_too_long',
        'password_login_off',
        'step_up_required',
      ],
      handle: async ({ principal, body }) => {
        await accounts.changePassword(principal, body);
        return { body: { ok: true } };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/password/reset',
      operation: 'resetPassword',
      summary: 'Set a new password with the token of a link',
      body: schema.PasswordResetBody,
      responses: { 200: schema.Ok },
      errors: ['invalid_reset_token', 'password_too_short', 'password_too_long', 'password_login_off'],
      handle: async ({ body }) => {
        await accounts.resetPassword(body);
        return { body: { ok: true } };
      },
    }),
  ];
}

function addressRoutes(accounts: Accounts): Route[] {
  return [
    route({
      method: 'POST',
      path: '/auth/password/forgot',
      operation: 'forgotPassword',
      summary: 'Have a link to set a new password sent to a confirmed address',
      body: schema.ForgotBody,
      responses: { 202: schema.Ok },
      handle: async ({ body }) => {
        await accounts.forgotPassword(body?.email);
        return { body: { ok: true } };
      },
    }),
    route({
      method: 'POST',
      path: '/me/email/confirmation',
      operation: 'requestEmailConfirmation',
      summary: 'Have a link to confirm it sent to the address of the account',
      responses: { 202: schema.Ok },
      errors: ['rate_limited'],
      handle: async ({ principal }) => {
        await accounts.requestConfirmation(principal.userId);
        return { body: { ok: true } };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/email/confirm',
      operation: 'confirmEmail',
      summary: 'Confirm an e-mail address with the token of a link',
      body: schema.ConfirmBody,
      responses: { 200: schema.Ok },
      errors: ['invalid_confirmation_token'],
      handle: async ({ body }) => {
        await accounts.confirmEmail(body.token);
        return { body: { ok: true } };
      },
    }),
  ];
}

function profileRoutes(accounts: Accounts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/me',
      operation: 'getMe',
      summary: 'The current user',
      responses: { 200: schema.UserResponse },
      handle: async ({ principal }) => ({ body: userView(await accounts.me(principal.userId)) }),
    }),
    route({
      method: 'PATCH',
      path: '/me',
      operation: 'updateMe',
      summary: 'Change the profile',
      body: schema.ProfileBody,
      responses: { 200: schema.UserResponse },
      handle: async ({ principal, body }) => ({
        body: userView(await accounts.updateMe(principal.userId, body)),
      }),
    }),
    route({
      method: 'DELETE',
      path: '/me',
      operation: 'deleteMe',
      summary: 'Delete the account and everything that belongs to it',
      body: schema.DeleteMeBody,
      responses: { 200: schema.Ok },
      errors: ['password_required', 'invalid_password', 'last_admin', 'owns_shared_vaults', 'delete_failed'],
      handle: async ({ principal, body }) => {
        await accounts.deleteMe(principal, body?.password);
        return { body: { ok: true } };
      },
    }),
  ];
}
