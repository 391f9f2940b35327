import { noToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import type { BootstrapResponse } from '@notevault/protocol/accounts.ts';
import type { InvitationShown } from '@notevault/protocol/members.ts';
import type { PasskeyAssertion, PasskeyRequestOptions } from '@notevault/protocol/passkeys.ts';
import { serverUrl } from '../../platform/base.ts';

const transport = new Transport(serverUrl(), noToken);

/** The operations that need no session. */
export const anonymous = {
  bootstrap: () => transport.json<BootstrapResponse>({ method: 'GET', path: '/auth/bootstrap' }),
  /** Reads an invitation without using it up. */
  invitation: (token: string) =>
    transport.json<InvitationShown>({ method: 'GET', path: `/invitations/${encodeURIComponent(token)}` }),
  forgotPassword: (email: string) =>
    transport.json({ method: 'POST', path: '/auth/password/forgot', json: { email }, repeatable: false }),
  passkeyOptions: () =>
    transport.json<PasskeyRequestOptions>({
      method: 'POST',
      path: '/auth/passkeys/login/options',
      repeatable: false,
    }),
  /** Signs in for a page without scripts, which is opened again then. */
  signInOnPage: (json: PasskeyAssertion & { readonly page: string }) =>
    transport.send({ method: 'POST', path: '/auth/passkeys/login/page', json, repeatable: false }),
  confirmEmail: (token: string) =>
    transport.json({ method: 'POST', path: '/auth/email/confirm', json: { token }, repeatable: false }),
  resetPassword: (token: string, password: string) =>
    transport.json({ method: 'POST', path: '/auth/password/reset', json: { token, password }, repeatable: false }),
};
