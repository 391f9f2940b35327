import { NotevaultError } from '@notevault/protocol/errors.ts';
import { cleanText } from '@notevault/protocol/values/clean-text.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import { Type } from 'typebox';
import { latestPlausible } from '../../../ports/clock/clock.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import type { Identified } from '../../content/accounts/accounts.ts';
import type { Principal } from '../../foundation/access/access.ts';
import { openedOr } from '../../foundation/keys/keys.ts';
import { runUnder, standingOfSignIn } from '../../foundation/rights/rights.ts';
import { DEFAULT_VAULT_NAME, type DeviceAuthorization } from './authorization.ts';
import type { DeviceDeps } from './devices.ts';

/** How long a ticket is valid: as long as the code itself. */
const TICKET_MS = 300_000;
const TICKET_CONTEXT = { kind: 'device.page', row: '', version: 0 };

/** A device link as shown to the person who decides. */
export type DeviceConsentRequest = Awaited<ReturnType<LinkPage['open']>>;

export interface SignInForm {
  readonly code: string;
  readonly email: string;
  readonly password: string;
  readonly address: string;
}

export interface SecondFactorForm {
  readonly code: string;
  readonly ticket: string;
  readonly secondFactor: string;
  readonly address: string;
}

const sealedTicket = new SealedJson(
  1,
  Type.Object({
    userId: Type.Unsafe<UserId>(Type.String()),
    rightsVersion: Type.Number(),
    code: Type.String(),
    until: Type.Number(),
  }),
);

type Ticket = ReturnType<typeof sealedTicket.decode>;

/** The device link for people without a web app: they sign in for this one decision. */
export class LinkPage {
  readonly #deps: DeviceDeps;
  readonly #authorization: Pick<DeviceAuthorization, 'lookUp' | 'authorize'>;

  constructor(deps: DeviceDeps, authorization: Pick<DeviceAuthorization, 'lookUp' | 'authorize'>) {
    this.#deps = deps;
    this.#authorization = authorization;
  }

  /** Throws the errors of a sign-in, and `device_code_not_found`. */
  async open({ code, email, password, address }: SignInForm) {
    return this.#choice(code, await this.#deps.accounts.identify({ email, password }, address));
  }

  /** Throws the errors of a second factor, and `device_code_not_found`. */
  async proveSecondFactor({ code, secondFactor, ticket, address }: SecondFactorForm) {
    const step = { ticket, code: secondFactor };
    return this.#choice(code, await this.#deps.accounts.identifyBySecondFactor(step, address));
  }

  /**
   * Opens the link for a person who comes back from the web app. Throws `invalid_login_token` for a token of another
   * code, `account_suspended`, `device_code_not_found`.
   */
  async resume(code: string, token: string) {
    return this.#choice(code, await this.#deps.accounts.identifyByToken(token, linkPath(code)));
  }

  async #choice(code: string, { id, rightsVersion }: Identified) {
    const { keys, clock, accounts, vaults } = this.#deps;
    const found = await this.#authorization.lookUp(id, code);
    if (found === null) throw new NotevaultError('device_code_not_found');
    const server = await keys.openServer();
    const ticket = { userId: id, rightsVersion, code, until: clock.now() + TICKET_MS };
    const user = await accounts.me(id);
    const all = await vaults.list(signedIn(user), { deleted: false });
    return {
      /** Contains the signed-in person and the typed code; it exists only in the page. */
      token: sealedTicket.seal(server, TICKET_CONTEXT, ticket).toString('base64url'),
      code,
      email: user.email,
      locale: user.locale,
      device: cleanText(found.deviceName),
      newVault: cleanText(found.vaultName) ?? DEFAULT_VAULT_NAME,
      vaults: all.map(({ id, name, isDefault, role, ownerName }) => ({
        ...{ id, name: cleanText(name) ?? '', isDefault },
        /** For a shared vault: the owner's name, if set, and whether the person may only read it. */
        shared: role === 'owner' ? null : { by: cleanText(ownerName), isReadOnly: role === 'viewer' },
      })),
    };
  }

  /**
   * Authorizes the device for the vault, or for a `new` one; null refuses it. Resolves to the language of the person.
   * Throws like `authorize`, `authorization_over`, and `sign_in_again` once a right was taken away from the person since.
   */
  async decide(token: string, vault: string | null): Promise<{ locale: string | null }> {
    const { keys, clock, accounts, vaults } = this.#deps;
    const server = await keys.openServer();
    const { userId, rightsVersion, code, until } = openTicket(server, token);
    const now = clock.now();
    if (until <= now || until > latestPlausible(now, TICKET_MS)) throw new NotevaultError('authorization_over');
    const decision = vault === null ? { deny: true } : { vault_id: vault };
    const standing = standingOfSignIn(userId, rightsVersion);
    await vaults.confirmRights(standing);
    const user = await accounts.me(userId);
    await runUnder(standing, () => this.#authorization.authorize(signedIn(user), { user_code: code, ...decision }));
    return { locale: user.locale };
  }
}

/** The page of a device link below the public URL, with the code that the device shows. */
export function linkPath(code: string): string {
  return `/link?code=${code}`;
}

/** The principal of a person who signed in for this decision only. */
function signedIn({ id, tier }: { readonly id: UserId; readonly tier: string }): Principal {
  return { kind: 'session', userId: id, tier, credentialId: id, name: 'Device link' };
}

function openTicket(server: SealingKey, token: string): Ticket {
  return openedOr('authorization_over', () =>
    sealedTicket.open(server, TICKET_CONTEXT, Buffer.from(token, 'base64url')),
  );
}
