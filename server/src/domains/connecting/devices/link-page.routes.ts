import { MB } from '@notevault/protocol/values/byte-units.ts';
import { CODE_FAULTS, runForm, SIGN_IN_FAULTS, stepOf, ticketOf } from '../../../http/pages/forms.ts';
import { personLanguage } from '../../../http/pages/page-language.ts';
import { faultText } from '../../../http/pages/page-texts.ts';
import type { RawReply, RawRequest, RawRoute } from '../../../http/pages/raw-routes.ts';
import { linkChoicePage, linkCodePage, linkedPage, linkPage } from './devices.pages.ts';
import type { Devices, LinkPage } from './devices.ts';

const FAULTS = [...SIGN_IN_FAULTS, 'device_code_not_found'];
/** Large, because a form names every vault of its sender. */
const FORM_LIMIT = MB;

/** The page of a device link, without a web app: a person who signs in beside the code may decide on it once. */
export function linkPageRoutes({ linkPage: operations }: Devices): RawRoute[] {
  const shared = { path: '/link', limit: 'auth', bodyLimit: FORM_LIMIT, forPeople: true } as const;
  return [
    {
      ...shared,
      method: 'GET',
      handle: async ({ query: { code }, language }) => ({
        page: linkPage(language, { code: typeof code === 'string' ? code : '', email: '' }, null),
      }),
    },
    { ...shared, method: 'POST', handle: (request) => answer(operations, request) },
  ];
}

async function answer(operations: LinkPage, request: RawRequest): Promise<RawReply> {
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
    return { status: fault.status, page: linkPage(language, { code, email }, faultText(language, fault.code) ?? '') };
  }
  if (step === 'code') {
    const [ticket, secondFactor] = [fields.get('ticket') ?? '', fields.get('second_factor') ?? ''];
    const proving = operations.proveSecondFactor({ code, ticket, secondFactor, address });
    const { value, fault } = await runForm(proving, [...CODE_FAULTS, 'device_code_not_found']);
    if (value !== null) return { page: linkChoicePage(personLanguage(value.locale, language), value) };
    const text = faultText(language, fault.code) ?? '';
    const isAgain = fault.code === 'invalid_code' || fault.code === 'rate_limited';
    const page = isAgain
      ? linkCodePage(language, { code, ticket }, text)
      : linkPage(language, { code, email: '' }, text);
    return { status: fault.status, page };
  }
  const vault = step === 'allow' ? (fields.get('vault') ?? '') : null;
  const { value, fault } = await runForm(operations.decide(token, vault), ['sign_in_again']);
  if (value !== null) return { page: linkedPage(personLanguage(value.locale, language), vault !== null) };
  return { status: fault.status, page: linkPage(language, { code, email: '' }, faultText(language, fault.code) ?? '') };
}
