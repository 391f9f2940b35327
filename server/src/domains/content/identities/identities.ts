import { NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid, type UserId } from '@notevault/protocol/values/ids.ts';
import type { Accounts } from '../accounts/accounts.ts';
import * as store from './identities.store.ts';
import { createOidc, type Oidc, type OidcDeps } from './oidc/oidc.ts';
import { standaloneMethods } from './standalone.ts';
import { among, confirmTotp, methodsOf, prepareCheck, removeTotp, startTotp } from './totp.ts';

export interface IdentityDeps extends OidcDeps {
  readonly accounts: OidcDeps['accounts'] & Pick<Accounts, 'me' | 'find' | 'findByEmail' | 'countCodes'>;
}

/** Ways to sign in beside the password: second factors, and methods that need no password. */
export type Identities = ReturnType<typeof createIdentities>;

export function createIdentities(deps: IdentityDeps) {
  const oidc = createOidc(deps);
  return {
    startTotp: startTotp.bind(null, deps),
    confirmTotp: confirmTotp.bind(null, deps),
    removeTotp: removeTotp.bind(null, deps),
    oidc,
    settings: (userId: UserId) => settings(deps, oidc, userId),
    resetSecondFactor: resetSecondFactor.bind(null, deps),
    /** Removes the second factor of the account with an e-mail. Throws `account_not_found`. */
    async resetNamed(email: string) {
      await removeTotp(deps, (await deps.accounts.findByEmail(email)).id);
    },
    secondFactors: { methodsOf, among, prepareCheck: prepareCheck.bind(null, deps) },
    standalone: standaloneMethods(oidc),
  };
}

/** How the account can be signed in to. */
async function settings({ db, accounts }: IdentityDeps, oidc: Oidc, userId: UserId) {
  const account = await accounts.signInSettings(userId);
  const found = await db.get(store.findTotp, { user_id: userId });
  const left = (await db.get(store.countRecoveryCodes, { userId }))?.left ?? 0;
  return {
    ...account,
    identities: await oidc.identitiesOf(userId),
    totp: found?.confirmed_at == null ? null : { confirmedAt: found.confirmed_at, recoveryCodesLeft: left },
  };
}

/** Removes the second factor of an account for an admin. Throws `user_not_found`. */
async function resetSecondFactor(deps: IdentityDeps, sent: string): Promise<void> {
  const id = parseUuid(sent) as UserId | null;
  if (id === null || (await deps.accounts.find(id)) === null) throw new NotevaultError('user_not_found');
  await removeTotp(deps, id);
}
