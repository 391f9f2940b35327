import { NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid, type UserId } from '@notevault/protocol/values/ids.ts';
import type { EventSink } from '../../../events.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { Accounts, StandaloneMethod, StandaloneMethods } from '../accounts/accounts.ts';
import * as store from './identities.store.ts';
import { createOidc, type Oidc, type OidcDeps } from './oidc/oidc.ts';
import * as passkeyStore from './passkeys/passkeys.store.ts';
import {
  addPasskey,
  deletePasskey,
  listPasskeys,
  renamePasskey,
  signIn,
  signInOnPage,
  startPasskey,
  startSignIn,
  startStepUp,
  sweepChallenges,
  verifyStepUp,
} from './passkeys/passkeys.ts';
import { relyingPartyOf } from './passkeys/relying-party.ts';
import { among, confirmTotp, methodsOf, prepareCheck, removeTotp, startTotp } from './totp.ts';

export interface IdentityDeps extends OidcDeps {
  readonly events: EventSink;
  readonly accounts: OidcDeps['accounts'] &
    Pick<
      Accounts,
      | ('me' | 'find' | 'findByEmail' | 'countCodes' | 'takeRights')
      | ('signInStandalone' | 'signInOnPage' | 'prepareNotice')
    >;
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
    /** Like `resetSecondFactor`, for the account with an e-mail. Throws `account_not_found`. */
    async resetNamed(email: string) {
      await removeAll(deps, (await deps.accounts.findByEmail(email)).id);
    },
    passkeys: {
      start: startPasskey.bind(null, deps),
      add: addPasskey.bind(null, deps),
      list: listPasskeys.bind(null, deps),
      rename: renamePasskey.bind(null, deps),
      delete: deletePasskey.bind(null, deps),
      startSignIn: startSignIn.bind(null, deps),
      signIn: signIn.bind(null, deps),
      signInOnPage: signInOnPage.bind(null, deps),
      startStepUp: startStepUp.bind(null, deps),
      verifyStepUp: verifyStepUp.bind(null, deps),
      /** Counts the passkeys of accounts between two ids. */
      async among(handle: ReadHandle, first: UserId, last: UserId): Promise<ReadonlyMap<UserId, number>> {
        const counts = await handle.all(passkeyStore.countPasskeys, { first, last });
        return new Map(counts.map(({ userId, passkeys }) => [userId, passkeys]));
      },
    },
    /** Deletes challenges that nobody can answer any more. */
    sweep: sweepChallenges.bind(null, deps),
    secondFactors: { methodsOf, among, prepareCheck: prepareCheck.bind(null, deps) },
    standalone: standaloneMethods(oidc, deps.publicUrl),
  };
}

/** A way to sign in by itself. */
interface Method {
  /** Returns whether an account can use it. */
  isOf(handle: ReadHandle, userId: UserId): Promise<boolean>;
  /** Returns whether the server offers it to requests with a `Host` header. */
  isOffered(host: string | null): boolean;
}

function standaloneMethods(oidc: Oidc, publicUrl: string): StandaloneMethods {
  const party = relyingPartyOf(publicUrl);
  /** In the order in which people are asked for one. */
  const methods: Readonly<Record<StandaloneMethod, Method>> = {
    passkey: {
      isOf: async (handle, userId) =>
        party !== null && (await handle.get(passkeyStore.findUsable, { userId, host: party.host })) !== undefined,
      isOffered: (host) => party !== null && host?.toLowerCase() === new URL(publicUrl).host,
    },
    // At another host, it is begun at the public one.
    oidc: { isOf: oidc.isOf, isOffered: () => oidc.name !== null },
  };
  const entries = Object.entries(methods) as [StandaloneMethod, Method][];
  return {
    async of(handle, userId) {
      const found: StandaloneMethod[] = [];
      for (const [name, method] of entries) if (await method.isOf(handle, userId)) found.push(name);
      return found;
    },
    providerName: oidc.name,
    offered: (host) => entries.filter(([, method]) => method.isOffered(host)).map(([name]) => name),
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

/**
 * Removes the authenticator app, recovery codes and passkeys of an account for an admin. Its password stays, or gets a
 * new one by a link. Throws `user_not_found`.
 */
async function resetSecondFactor(deps: IdentityDeps, sent: string): Promise<void> {
  const id = parseUuid(sent) as UserId | null;
  if (id === null || (await deps.accounts.find(id)) === null) throw new NotevaultError('user_not_found');
  await removeAll(deps, id);
}

async function removeAll(deps: IdentityDeps, userId: UserId): Promise<void> {
  await deps.db.transact(async (handle) => {
    await deps.accounts.takeRights(handle, userId);
    await handle.run(passkeyStore.deletePasskeysOf, { user_id: userId });
  });
  await removeTotp(deps, userId);
}
