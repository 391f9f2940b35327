import * as schema from '@notevault/protocol/devices.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { CODE_FAULTS, runForm, SIGN_IN_FAULTS, stepOf, ticketOf } from '../../../http/pages/forms.ts';
import { type PageLanguage, personLanguage } from '../../../http/pages/page-language.ts';
import { faultText } from '../../../http/pages/page-texts.ts';
import type { RawReply, RawRequest, RawRoute } from '../../../http/pages/raw-routes.ts';
import type { SignInWays } from '../../../http/pages/sign-in-ways.pages.ts';
import { type Route, route } from '../../../http/route.ts';
import { signInCookies } from '../../content/accounts/accounts.ts';
import { linkChoicePage, linkCodePage, linkedPage, linkPage, typeCodePage } from './devices.pages.ts';
import type { DeviceAuthorization, Devices, DeviceTokens, LinkPage } from './devices.ts';

/** Headers of answers with tokens, which no cache may store (RFC 6749, section 5.1). */
const headers = { 'cache-control': 'no-store' };

export function devicesRoutes({ authorization, tokens }: Devices): Route[] {
  return [...linkRoutes(authorization), ...tokenRoutes(authorization, tokens)];
}

function linkRoutes(authorization: DeviceAuthorization): Route[] {
  return [
    route({
      method: 'POST',
      path: '/auth/device',
      operation: 'startDeviceLink',
      summary: 'Start linking a device',
      body: schema.DeviceBody,
      responses: { 200: schema.DeviceStarted },
      handle: async ({ body }) => ({ body: await authorization.start(body ?? {}), headers }),
    }),
    route({
      method: 'POST',
      path: '/auth/device/authorize',
      operation: 'authorizeDevice',
      summary: 'Authorize a device for a vault, or refuse it',
      body: schema.DecisionBody,
      responses: { 200: schema.Decided },
      errors: ['device_code_not_found', 'device_vault_not_owned', 'limit_exceeded', 'vault_unreadable'],
      handle: async ({ principal, body }) => ({
        body: { ok: true, vault_id: await authorization.authorize(principal, body ?? {}) },
      }),
    }),
  ];
}

function tokenRoutes(authorization: DeviceAuthorization, tokens: DeviceTokens): Route[] {
  return [
    route({
      method: 'POST',
      path: '/auth/device/token',
      operation: 'pollDeviceLink',
      summary: 'Get the tokens of an authorized device',
      body: schema.PollBody,
      responses: { 200: schema.DeviceGrantResponse },
      errors: ['authorization_pending', 'slow_down', 'access_denied', 'device_code_expired'],
      handle: async ({ body, ip, userAgent }) => ({
        body: await authorization.poll(body.device_code, { ip, userAgent }),
        headers,
      }),
    }),
    route({
      method: 'POST',
      path: '/auth/token/refresh',
      operation: 'refreshDevice',
      summary: 'Exchange a device’s refresh token for new tokens',
      body: schema.RefreshBody,
      responses: { 200: schema.DeviceTokensResponse },
      errors: ['invalid_device_token'],
      handle: async ({ body }) => ({ body: await tokens.refresh(body.refresh_token), headers }),
    }),
    route({
      method: 'POST',
      path: '/auth/token/revoke',
      operation: 'signOffDevice',
      summary: 'End a device by its refresh token; unknown tokens are answered alike',
      body: schema.RefreshBody,
      responses: { 204: null },
      handle: ({ body }) => tokens.signOff(body.refresh_token),
    }),
    route({
      method: 'DELETE',
      path: '/connections/device/:family_id',
      operation: 'revokeDevice',
      summary: 'Revoke a device',
      params: schema.FamilyParams,
      responses: { 204: null },
      errors: ['connection_not_found'],
      handle: ({ principal, params }) => tokens.revoke(principal.userId, params.family_id),
    }),
  ];
}

const FAULTS = [...SIGN_IN_FAULTS, 'device_code_not_found'];
/** Large, because a form names every vault of its sender. */
const FORM_LIMIT = MB;

/** The page of a device link, without a web app: a person who signs in beside the code may decide on it once. */
export function linkPageRoutes({ linkPage: operations }: Devices, ways: SignInWays): RawRoute[] {
  const shared = { path: '/link', limit: 'auth', bodyLimit: FORM_LIMIT, forPeople: true } as const;
  return [
    { ...shared, method: 'GET', handle: (request) => show(operations, request, ways) },
    { ...shared, method: 'POST', handle: (request) => answer(operations, request, ways) },
  ];
}

/** The page for signing in; for a person who comes back from the provider or the web app, the decision. */
async function show(operations: LinkPage, request: RawRequest, ways: SignInWays): Promise<RawReply> {
  const { language } = request;
  // People also type spaces, which the address to come back to cannot have.
  const code = String(request.query.code ?? '').replace(/[^\w-]/g, '');
  if (code === '') return { page: typeCodePage(language, code, null) };
  const token = request.cookie(signInCookies.loginTokenName);
  const faults = ['invalid_login_token', 'account_suspended', 'device_code_not_found'];
  const { value, fault } = await runForm(operations.resume(code, token), faults);
  if (value !== null) return { page: linkChoicePage(personLanguage(value.locale, language), value) };
  // A token that was used or is for another code is like none.
  if (fault.code === 'invalid_login_token') return { page: linkPage(language, { code, email: '' }, null, ways) };
  return refused(language, fault, { code, email: '' }, ways);
}

/** The page on which the person can correct an error: the one for the code, or the sign-in. */
function refused(
  language: PageLanguage,
  { code: error, status }: { readonly code: string; readonly status: number },
  typed: { readonly code: string; readonly email: string },
  ways: SignInWays,
): RawReply {
  const text = faultText(language, error) ?? '';
  const isCode = error === 'device_code_not_found' || typed.code === '';
  return { status, page: isCode ? typeCodePage(language, typed.code, text) : linkPage(language, typed, text, ways) };
}

async function answer(operations: LinkPage, request: RawRequest, ways: SignInWays): Promise<RawReply> {
  const { language } = request;
  const form = request.form();
  const { token, fields, address } = form;
  const step = stepOf(form);
  const code = fields.get('code') ?? '';
  if (step === 'sign-in') {
    const email = fields.get('email') ?? '';
    const sent = { code, email, password: fields.get('password') ?? '', address };
    const opening = operations.open(sent);
    const ticket = await opening.then(() => null, ticketOf);
    if (ticket !== null) return { page: linkCodePage(language, { code, ticket }, null) };
    const { value, fault } = await runForm(opening, FAULTS);
    if (value !== null) return { page: linkChoicePage(personLanguage(value.locale, language), value) };
    return refused(language, fault, { code, email }, ways);
  }
  if (step === 'code') {
    const [ticket, secondFactor] = [fields.get('ticket') ?? '', fields.get('second_factor') ?? ''];
    const proving = operations.proveSecondFactor({ code, ticket, secondFactor, address });
    const { value, fault } = await runForm(proving, [...CODE_FAULTS, 'device_code_not_found']);
    if (value !== null) return { page: linkChoicePage(personLanguage(value.locale, language), value) };
    const isAgain = fault.code === 'invalid_code' || fault.code === 'rate_limited';
    if (!isAgain) return refused(language, fault, { code, email: '' }, ways);
    const text = faultText(language, fault.code) ?? '';
    return { status: fault.status, page: linkCodePage(language, { code, ticket }, text) };
  }
  const vault = step === 'allow' ? (fields.get('vault') ?? '') : null;
  const { value, fault } = await runForm(operations.decide(token, vault), ['sign_in_again']);
  if (value !== null) return { page: linkedPage(personLanguage(value.locale, language), vault !== null) };
  return refused(language, fault, { code, email: '' }, ways);
}
