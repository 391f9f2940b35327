import * as schema from '@notevault/protocol/accounts.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import type { RawReply, RawRequest, RawRoute } from '../../../../http/pages/raw-routes.ts';
import { type Reply, type Route, route } from '../../../../http/route.ts';
import { signInCookies } from '../../accounts/accounts.ts';
import { detailOf, faultOf, statusOf } from './faults.ts';
import { failurePage } from './oidc.pages.ts';
import type { Departure, Oidc } from './oidc.ts';
import { STATE_MS } from './state.ts';

const PATH = '/api/auth/oidc';
const STATE_COOKIE = 'oidc_state';
/** Marks a request that was sent on to the public address, so that a proxy that renames hosts makes no loop. */
const SENT_ON = 'sent_on';

/** Dependencies of the pages that send browsers to the provider. */
export interface OidcPages {
  readonly oidc: Oidc;
  readonly publicUrl: string;
  /** Reports a failure that the operator can do something about. */
  readonly report: (failure: { readonly fault: string; readonly detail: string | null }) => void;
}

/** The two ends of a visit to the provider. */
export function oidcPageRoutes(pages: OidcPages): RawRoute[] {
  // As for the app's first page: all of an office come from one address.
  const shared = { method: 'GET', limit: { atLeast: 120 }, forPeople: true } as const;
  return [
    { ...shared, path: `${PATH}/start`, handle: (request) => explained(pages, request, start) },
    { ...shared, path: `${PATH}/callback`, handle: (request) => explained(pages, request, arrive) },
  ];
}

async function start({ oidc, publicUrl }: OidcPages, { query, header }: RawRequest): Promise<Reply> {
  const { host } = new URL(publicUrl);
  if (header('host') !== host && query[SENT_ON] === undefined) {
    const asked = { return_to: String(query.return_to ?? ''), remember: String(query.remember ?? true) };
    const more = new URLSearchParams({ ...asked, [SENT_ON]: '1' });
    // The cookie must be that of the host to which the provider sends the browser back.
    return redirectTo(`${publicUrl}${PATH}/start?${more}`);
  }
  return departed(await oidc.start(query.return_to, query.remember === 'false'));
}

async function arrive({ oidc }: OidcPages, request: RawRequest): Promise<Reply> {
  const answer = new URLSearchParams(/\?(.*)$/s.exec(request.browser.request.url ?? '')?.[1]);
  const client = { address: request.ip, userAgent: request.header('user-agent') };
  const arrival = await oidc.arrive(answer, request.cookie(STATE_COOKIE), client);
  if ('cookie' in arrival) return departed(arrival);
  const granted =
    'refreshToken' in arrival
      ? [signInCookies.refresh(arrival.refreshToken)]
      : 'loginToken' in arrival
        ? [signInCookies.loginToken(arrival.page, arrival.loginToken)]
        : [];
  return { ...redirectTo(arrival.url), cookies: [stateCookie(null), ...granted] };
}

function departed({ url, cookie }: Departure): Reply {
  return { ...redirectTo(url), cookies: [stateCookie(cookie)] };
}

function redirectTo(location: string): Reply {
  return { status: 302, headers: { location, 'referrer-policy': 'no-referrer' } };
}

function stateCookie(value: string | null) {
  return { name: STATE_COOKIE, value, path: PATH, maxAgeSeconds: STATE_MS / 1000 };
}

/** Answers a failure with a page that says what to do; other errors are rethrown. */
async function explained(
  pages: OidcPages,
  request: RawRequest,
  work: (pages: OidcPages, request: RawRequest) => Promise<Reply>,
): Promise<RawReply> {
  const { oidc, publicUrl, report } = pages;
  try {
    return { reply: await work(pages, request) };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    const known = detailOf(error);
    const detail = known?.detail ?? null;
    if (known !== null) report({ fault, detail });
    const about = { fault, detail, providerName: oidc.name ?? '', home: `${publicUrl}/` };
    const page = failurePage(request.language, { ...about, redirectUri: `${publicUrl}${PATH}/callback` });
    return { page, status: statusOf(fault) };
  }
}

/** Requests of a signed-in person about identities. */
export function identityRoutes(oidc: Oidc): Route[] {
  const visit = ({ url, cookie }: Departure) => ({ body: { url }, cookies: [stateCookie(cookie)] });
  return [
    route({
      method: 'POST',
      path: '/me/identities',
      operation: 'joinIdentity',
      summary: 'Begin to join an identity at the provider to the account',
      body: schema.VisitBody,
      responses: { 200: schema.VisitStarted },
      errors: ['oidc_off', 'oidc_unreachable'],
      handle: async ({ principal, body }) => visit(await oidc.startJoin(principal, body.return_to)),
    }),
    route({
      method: 'DELETE',
      path: '/me/identities/:id',
      operation: 'removeIdentity',
      summary: 'End signing in by an identity at the provider',
      params: IdParams,
      responses: { 204: null },
      errors: ['identity_not_found', 'last_sign_in_method'],
      handle: ({ principal, params }) => oidc.removeIdentity(principal.userId, params.id),
    }),
    route({
      method: 'POST',
      path: '/auth/step-up/oidc',
      operation: 'stepUpByOidc',
      summary: 'Begin to prove at the provider who uses the session',
      body: schema.VisitBody,
      responses: { 200: schema.VisitStarted },
      errors: ['oidc_off', 'oidc_unreachable'],
      handle: async ({ principal, body }) => visit(await oidc.startStepUp(principal, body.return_to)),
    }),
  ];
}
