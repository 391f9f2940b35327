import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { type AccountDeps, type Accounts, createAccounts } from '../../src/domains/content/accounts/accounts.ts';
import type { PasswordCost } from '../../src/domains/content/accounts/passwords.ts';
import { type MailKind, Mails } from '../../src/domains/content/mails/mails.ts';
import { renderMail } from '../../src/domains/content/mails/templates/render.pages.ts';
import { createVaults, type VaultHooks, type Vaults } from '../../src/domains/content/vaults/vaults.ts';
import type { PermissionLevel, Principal } from '../../src/domains/foundation/access/access.ts';
import { Keys } from '../../src/domains/foundation/keys/keys.ts';
import { builtinPlans } from '../../src/domains/foundation/plans/plans.ts';
import { Events } from '../../src/events.ts';
import type { Database } from '../../src/ports/database/database.ts';
import { MASTER_KEY_BYTES, MasterKeyring } from '../../src/ports/keyring/master-key.ts';
import type { Mailer } from '../../src/ports/mail/mail.ts';
import { noMailer } from '../../src/ports/mail/none.ts';
import { type TestClock, testClock } from './clock.ts';

/** The lowest cost that argon2id accepts. `passwords.test.ts` checks the cost in production. */
export const CHEAP_PASSWORDS: PasswordCost = { memory: 8, passes: 1, parallelism: 1 };

/** Accounts and vaults without HTTP, and the calls that they made to the hooks of later domains. */
export interface Fixtures {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: TestClock;
  readonly mails: Mails;
  readonly accounts: Accounts;
  readonly vaults: Vaults;
  readonly hookCalls: HookCalls;
}

export interface HookCalls {
  readonly credentialsChanged: UserId[];
  readonly opened: VaultId[];
  readonly closed: VaultId[];
  readonly erased: VaultId[];
}

export interface FixtureOptions extends Partial<Pick<AccountDeps, 'registration' | 'plans' | 'defaultPlan'>> {
  /** Takes mails. No mails are sent by default. */
  readonly mailer?: Mailer;
  /** Replaces the rows of other domains. */
  readonly purgeSlice?: VaultHooks['purgeSlice'];
}

export async function openFixtures(open: () => Promise<Database>, options: FixtureOptions = {}): Promise<Fixtures> {
  const {
    registration = 'open',
    plans = builtinPlans,
    defaultPlan = 'self_hosted',
    purgeSlice,
    mailer = noMailer(),
  } = options;
  const db = await open();
  const clock = testClock();
  const keys = new Keys(db, new MasterKeyring(clock.random(MASTER_KEY_BYTES), clock.random));
  const hookCalls: HookCalls = { credentialsChanged: [], opened: [], closed: [], erased: [] };
  const events = new Events((error) => {
    throw error;
  });
  events.on('credentialsChanged', ({ userId }) => hookCalls.credentialsChanged.push(userId));
  events.on('vaultOpened', ({ vaultId }) => hookCalls.opened.push(vaultId));
  events.on('vaultClosed', ({ vaultId }) => hookCalls.closed.push(vaultId));
  const publicUrl = 'http://127.0.0.1:4100';
  const recipient = (kind: MailKind, address: string) => accounts.mailRecipient(kind, address);
  const mails = new Mails({ db, keys, clock, mailer, publicUrl, render: renderMail, hooks: { recipient } });
  const accounts: Accounts = createAccounts({
    db,
    keys,
    clock,
    mails,
    publicUrl,
    registration,
    plans,
    defaultPlan,
    passwordLogin: 'on',
    analytics: null,
    passwordCost: CHEAP_PASSWORDS,
    hooks: {
      erasing: (userId) => vaults.purgeAllOf(userId),
      raiseRights: (handle, userId) => vaults.raiseAccountRights(handle, userId),
      sharedVaultsOf: (handle, userId) => vaults.ownedWithMembers(handle, userId),
      named: async () => [],
      joining: async () => null,
      secondFactors: {
        methodsOf: async () => [],
        among: async () => new Set(),
        prepareCheck: async () => async () => null,
      },
      standalone: { of: async () => [], offered: () => [], providerName: null },
      passkeys: { among: async () => new Map(), verifyStepUp: async () => async () => null },
    },
    events,
  });
  const vaults: Vaults = createVaults({
    db,
    keys,
    clock,
    accounts,
    plans,
    purgeAfterDays: 30,
    hooks: {
      purgeSlice: async (vaultId) => {
        const more = (await purgeSlice?.(vaultId)) ?? false;
        if (!more) hookCalls.erased.push(vaultId);
        return more;
      },
      deviceLink: async (_userId, code) => (code === 'GOOD-CODE' ? { vaultName: 'Phone', deviceName: null } : null),
      announcedBytes: async () => 0,
    },
    events,
  });
  return { db, keys, clock, mails, accounts: withSetupToken(accounts), vaults, hookCalls };
}

/** Accounts. The first is registered with the setup token, unless another one is sent. */
function withSetupToken(accounts: Accounts): Accounts {
  const register: Accounts['register'] = async (account, client) =>
    accounts.register({ setup_token: await accounts.setupToken(), ...account }, client);
  return { ...accounts, register };
}

const PASSWORD = 'correct horse battery';

/** Creates an account; returns the principal of its session. */
export async function signUp({ accounts }: Fixtures, name: string): Promise<Principal> {
  const { accessToken } = await accounts.register({ email: `${name}@example.org`, password: PASSWORD });
  return accounts.authenticate(`Bearer ${accessToken}`);
}

/** The code of the catalogue error with which `work` fails; null when it succeeds. Other errors are rethrown. */
export async function codeOf(work: Promise<unknown>): Promise<string | null> {
  return (await errorOf(work))?.code ?? null;
}

/** The catalogue error with which `work` fails; null when it succeeds. */
export async function errorOf(work: Promise<unknown>): Promise<NotevaultError | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof NotevaultError) return error;
    throw error;
  }
}

/** A key that may do this much in vaults that exist later, and in those that are named. */
export function keyOf(
  session: Principal,
  elsewhere: PermissionLevel,
  vaults: [string, PermissionLevel][] = [],
): Principal {
  const scope = { elsewhere, vaults: new Map(vaults.map(([id, level]) => [id as VaultId, level])) };
  return { kind: 'key', userId: session.userId, credentialId: 'key', name: 'key', tier: session.tier, scope };
}

/** Counts notes and changes of a vault, as a write does. */
export async function advance({ db, vaults }: Fixtures, principal: Principal, id: string, notes: number, seqs = notes) {
  const vault = await vaults.openVault(principal, id, 'write');
  return db.transact((handle) => vaults.advance(handle, vault, { seqs, notes }));
}
