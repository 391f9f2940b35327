import type {
  ProfileBody,
  Session,
  SessionsResponse,
  SignInSettings,
  StepUpBody,
  TotpConfirmed,
  TotpStarted,
  VisitStarted,
} from '@notevault/protocol/accounts.ts';
import type { KeyCreated, NewKeyBody } from '@notevault/protocol/api-keys.ts';
import type { Connection } from '@notevault/protocol/connections.ts';
import type {
  NewPasskeyBody,
  Passkey,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  PasskeysResponse,
} from '@notevault/protocol/passkeys.ts';
import type { UpdateVaultBody, Vault, VaultResponse } from '@notevault/protocol/vaults.ts';
import { api } from '../../data/client.ts';
import { transport } from '../../session/app-session.ts';

/** The operations on the account and its vaults that only the settings use. */
export const account = {
  updateProfile: (json: ProfileBody) => api.updateMe(json),
  signIn: () => transport.json<SignInSettings>({ method: 'GET', path: '/me/sign-in' }),
  requestConfirmation: () => transport.json({ method: 'POST', path: '/me/email/confirmation', repeatable: false }),
  startTotp: () => transport.json<TotpStarted>({ method: 'POST', path: '/me/totp', repeatable: false }),
  confirmTotp: (code: string) =>
    transport.json<TotpConfirmed>({ method: 'POST', path: '/me/totp/confirm', json: { code }, repeatable: false }),
  removeTotp: () => transport.send({ method: 'DELETE', path: '/me/totp' }),
  stepUp: (json: StepUpBody) => transport.json({ method: 'POST', path: '/auth/step-up', json, repeatable: false }),
  startStepUp: () =>
    transport.json<PasskeyRequestOptions>({ method: 'POST', path: '/auth/step-up/options', repeatable: false }),
  async passkeys(): Promise<Passkey[]> {
    return (await transport.json<PasskeysResponse>({ method: 'GET', path: '/me/passkeys' })).passkeys;
  },
  startPasskey: () =>
    transport.json<PasskeyCreationOptions>({
      method: 'POST',
      path: '/auth/passkeys/register/options',
      repeatable: false,
    }),
  addPasskey: (json: NewPasskeyBody) =>
    transport.json({ method: 'POST', path: '/auth/passkeys/register/verify', json, repeatable: false }),
  renamePasskey: ({ id, name }: { readonly id: string; readonly name: string }) =>
    transport.json({ method: 'PATCH', path: `/me/passkeys/${id}`, json: { name } }),
  deletePasskey: (id: string) => transport.send({ method: 'DELETE', path: `/me/passkeys/${id}` }),
  /** Begins a visit to the provider that joins an identity; `path` is the page to come back to. */
  joinIdentity: (path: string) =>
    transport.json<VisitStarted>({
      method: 'POST',
      path: '/me/identities',
      json: { return_to: path },
      repeatable: false,
    }),
  removeIdentity: (id: string) => transport.send({ method: 'DELETE', path: `/me/identities/${id}` }),
  /** Begins a visit to the provider that proves who uses the session. */
  stepUpByProvider: (path: string) =>
    transport.json<VisitStarted>({
      method: 'POST',
      path: '/auth/step-up/oidc',
      json: { return_to: path },
      repeatable: false,
    }),
  changePassword: (oldPassword: string | undefined, newPassword: string) =>
    transport.json({
      method: 'POST',
      path: '/auth/password/change',
      json: { ...(oldPassword === undefined ? {} : { old_password: oldPassword }), new_password: newPassword },
    }),
  /** @param password null for an account without one. */
  deleteAccount: (password: string | null) =>
    transport.json({ method: 'DELETE', path: '/me', json: password === null ? {} : { password } }),
  async sessions(): Promise<Session[]> {
    return (await transport.json<SessionsResponse>({ method: 'GET', path: '/me/sessions' })).sessions;
  },
  endSession: (id: string) => transport.send({ method: 'DELETE', path: `/me/sessions/${id}` }),
  endOtherSessions: () => transport.send({ method: 'DELETE', path: '/me/sessions' }),
  createToken: (json: NewKeyBody) => transport.json<KeyCreated>({ method: 'POST', path: '/connections/pat', json }),
  endUploadInto: (id: string) => transport.send({ method: 'DELETE', path: `/user/storage/uploads/${id}` }),
  /** Ends what acts for the account. */
  revoke({ kind, client_id, key_id }: Connection): Promise<Response> {
    const id = kind === 'pat' ? key_id : client_id;
    return transport.send({ method: 'DELETE', path: `/connections/${kind}/${encodeURIComponent(id ?? '')}` });
  },
};

export const vaultsApi = {
  create: (name: string) => api.createVault(name),
  async update(id: string, json: UpdateVaultBody): Promise<Vault> {
    return (await transport.json<VaultResponse>({ method: 'PATCH', path: `/vaults/${id}`, json })).vault;
  },
  delete: (id: string) => transport.send({ method: 'DELETE', path: `/vaults/${id}` }),
  restore: (id: string) => transport.json<VaultResponse>({ method: 'POST', path: `/vaults/${id}/restore` }),
  purge: (id: string) => transport.json({ method: 'POST', path: `/vaults/${id}/purge` }),
};
