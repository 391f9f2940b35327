import { NotevaultError } from '@notevault/protocol/errors.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { CODE_FAULTS, type Form, runForm, SIGN_IN_FAULTS, stepOf, ticketOf } from '../../../http/pages/forms.ts';
import { personLanguage } from '../../../http/pages/page-language.ts';
import { faultText } from '../../../http/pages/page-texts.ts';
import type { Page } from '../../../http/pages/pages.ts';
import type { RawReply, RawRequest, RawRoute } from '../../../http/pages/raw-routes.ts';
import type { SignInWays } from '../../../http/pages/sign-in-ways.pages.ts';
import { signInCookies } from '../../content/accounts/accounts.ts';
import { codePage, consentPage, signInPage } from './oauth.pages.ts';
import type { Consent, ConsentRequest, OAuth } from './oauth.ts';

/** Large, because a form names every vault of its sender. */
const FORM_LIMIT = MB;
const ALLOW_FAULTS = ['validation', 'sign_in_again'];

/** The pages on which a person signs in and decides about an application. */
export function consentRoutes(oauth: OAuth, ways: SignInWays): RawRoute[] {
  const shared = {
    path: '/oauth/interaction/:uid',
    limit: 'auth',
    bodyLimit: FORM_LIMIT,
    forPeople: true,
  } as const;
  return [
    { ...shared, method: 'GET', handle: async (request) => show(await oauth.consent(), { ...request, ways }) },
    { ...shared, method: 'POST', handle: (request) => decide(oauth, { ...request, ways }) },
  ];
}

interface ConsentPageRequest extends RawRequest {
  readonly ways: SignInWays;
}

/** Returns the page for the current step of an authorization request. */
async function show(consent: Consent, request: ConsentPageRequest): Promise<RawReply> {
  await consent.resume(request.browser, request.cookie(signInCookies.loginTokenName));
  const options = await consent.read(request.browser);
  return { page: stepPage(request, options, options.fault) };
}

async function decide(oauth: OAuth, request: ConsentPageRequest): Promise<RawReply> {
  const form = request.form();
  const consent = await oauth.consent();
  const { browser, language, ways } = request;
  const { token } = form;
  switch (stepOf(form)) {
    case 'sign-in':
      return signIn(consent, request, form);
    case 'code':
      return proveSecondFactor(consent, request, form);
    case 'sign-out':
      await consent.signOut(browser, { token });
      return { page: signInPage(language, await consent.read(browser), null, '', ways) };
    case 'deny':
      return { redirect: await consent.deny(browser, { token }) };
    case 'allow':
      return allow(consent, request, form);
    default:
      throw new NotevaultError('foreign_form');
  }
}

async function signIn(
  consent: Consent,
  request: ConsentPageRequest,
  { token, fields, address }: Form,
): Promise<RawReply> {
  const { browser, language, ways } = request;
  const [email, password] = [fields.get('email') ?? '', fields.get('password') ?? ''];
  const signing = consent.signIn(browser, { token, email, password, address });
  const ticket = await signing.then(() => null, ticketOf);
  const { fault } = ticket === null ? await runForm(signing, SIGN_IN_FAULTS) : { fault: null };
  const options = await consent.read(browser);
  if (ticket !== null) return { page: codePage(language, options, ticket, null) };
  if (fault === null) return { page: stepPage(request, options, options.fault) };
  return {
    status: fault.status,
    page: signInPage(language, options, faultText(language, fault.code) ?? '', email, ways),
  };
}

async function proveSecondFactor(consent: Consent, request: ConsentPageRequest, form: Form): Promise<RawReply> {
  const { browser, language, ways } = request;
  const { token, fields, address } = form;
  const [ticket, code] = [fields.get('ticket') ?? '', fields.get('second_factor') ?? ''];
  const { fault } = await runForm(consent.proveSecondFactor(browser, { token, ticket, code, address }), CODE_FAULTS);
  const options = await consent.read(browser);
  if (fault === null) return { page: stepPage(request, options, options.fault) };
  const text = faultText(language, fault.code) ?? '';
  const isOver = fault.code === 'invalid_ticket' || fault.code === 'account_suspended';
  const page = isOver ? signInPage(language, options, text, '', ways) : codePage(language, options, ticket, text);
  return { status: fault.status, page };
}

async function allow(consent: Consent, request: ConsentPageRequest, { token, fields }: Form): Promise<RawReply> {
  const { browser } = request;
  const decision = { permissions: permissionsOf(fields), elsewhere: fields.get('elsewhere') ?? 'none' };
  const { value, fault } = await runForm(consent.allow(browser, { token, ...decision }), ALLOW_FAULTS);
  if (fault === null) return { redirect: value };
  return { status: fault.status, page: stepPage(request, await consent.read(browser), fault.code) };
}

/** The page of the present step: signing in, or the decision in the language of the person who signed in. */
function stepPage(request: ConsentPageRequest, options: ConsentRequest, fault: string | null): Page {
  const { account } = options;
  const language = personLanguage(account?.locale ?? null, request.language);
  const text = fault === null ? null : (faultText(language, fault) ?? '');
  return account === null
    ? signInPage(language, options, text, '', request.ways)
    : consentPage(language, options, text);
}

function permissionsOf(fields: URLSearchParams): Record<string, string> {
  const chosen = [...fields].filter(([name]) => name.startsWith('vault:'));
  return Object.fromEntries(chosen.map(([name, level]) => [name.slice('vault:'.length), level]));
}
