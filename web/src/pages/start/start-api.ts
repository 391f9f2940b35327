import { noToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import type { BootstrapResponse } from '@notevault/protocol/accounts.ts';
import type { InvitationShown } from '@notevault/protocol/members.ts';
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
  confirmEmail: (token: string) =>
    transport.json({ method: 'POST', path: '/auth/email/confirm', json: { token }, repeatable: false }),
  resetPassword: (token: string, password: string) =>
    transport.json({ method: 'POST', path: '/auth/password/reset', json: { token, password }, repeatable: false }),
};
