import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { Context } from '../app.ts';
import { backupState } from '../backup/take/lease.ts';
import type { Config } from '../config/config.ts';
import { ApiKeys } from '../domains/connecting/credentials/api-keys/api-keys.ts';
import { Connections } from '../domains/connecting/credentials/connections/connections.ts';
import { Credentials, type DescribeConnections } from '../domains/connecting/credentials/credentials.ts';
import { Tickets } from '../domains/connecting/credentials/tickets/tickets.ts';
import { Devices } from '../domains/connecting/devices/devices.ts';
import { OAuth } from '../domains/connecting/oauth/oauth.ts';
import { createAccounts } from '../domains/content/accounts/accounts.ts';
import { createActivityLog } from '../domains/content/activity-log/activity-log.ts';
import { defaultExtensions } from '../domains/content/attachments/uploads/extensions.ts';
import { createIdentities } from '../domains/content/identities/identities.ts';
import { type MailKind, Mails } from '../domains/content/mails/mails.ts';
import { renderMail } from '../domains/content/mails/templates/render.pages.ts';
import { Members } from '../domains/content/members/members.ts';
import { VaultCache } from '../domains/content/vaults/cache/vault-cache.ts';
import { createVaults } from '../domains/content/vaults/vaults.ts';
import { Imports } from '../domains/exchanging/imports/imports.ts';
import { Mcp } from '../domains/exchanging/mcp/mcp.ts';
import { PublicPages } from '../domains/exchanging/public-links/pages.ts';
import { PublicLinks, type PublicLinksDeps } from '../domains/exchanging/public-links/public-links.ts';
import { Uploads } from '../domains/exchanging/uploads/uploads.ts';
import { Idempotency } from '../domains/foundation/idempotency/idempotency.ts';
import { Keys } from '../domains/foundation/keys/keys.ts';
import { Admin } from '../domains/operating/admin/admin.ts';
import { BUILT, Downloads } from '../domains/operating/downloads/downloads.ts';
import { Logs } from '../domains/operating/logs/logs.ts';
import { acceptedLanguage } from '../http/pages/page-language.ts';
import { errorPage, pageOf } from '../http/pages/pages.ts';
import { openIdentityProvider } from '../open-ports.ts';
import type { Clock } from '../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../ports/database/database.ts';
import { createProductEvents } from '../product-events.ts';
import { isExecutable, programPath, readProgramFile } from '../program/program.ts';
import { version } from '../version.ts';
import { createContentDomains } from './create-content-domains.ts';
import type { AccountDomains, ContentDomains, CredentialDomains, Domains, KeyDomains, Later } from './domains.ts';

const PURGE_AFTER_DAYS = 30;

/** Creates the domains, each with the earlier ones. Throws KeyringError for a wrong master key. */
export async function createDomains(context: Context): Promise<Domains> {
  const { db, clock } = context.ports;
  let domains: Domains | undefined;
  const later: Later = () => {
    if (domains === undefined) throw new Error('a hook was called before all domains were made');
    return domains;
  };
  const keyDomains = await createKeys(context);
  const accountDomains = createAccountsAndVaults(context, keyDomains, later);
  const content = createContentDomains(context, { ...keyDomains, ...accountDomains }, later);
  const credentials = createCredentialDomains(context, { ...keyDomains, ...accountDomains }, later);
  const { attachments, notes, entries } = content;
  const parts = {
    db,
    clock,
    keys: keyDomains.keys,
    credentials: credentials.credentials,
    vaults: accountDomains.vaults,
  };
  const tickets = new Tickets({
    ...parts,
    attachments,
    notes,
    folders: entries.folders,
    cache: accountDomains.cache,
    publicUrl: context.publicUrl,
  });
  const { accounts, vaults, mails } = accountDomains;
  const uploads = new Uploads({ ...parts, accounts, attachments });
  const mcp = createMcp(context, content);
  const publicDomains = createPublicLinks(context, parts, accountDomains, content);
  const logs = new Logs({ db, keys: keyDomains.keys, clock });
  const imports = createImports(context, accountDomains, content, credentials);
  const backups = () => backupState(db, clock);
  const admin = new Admin({ db, clock, accounts, mails, vaults, plans: context.config.plans, version, backups });
  domains = {
    ...keyDomains,
    ...accountDomains,
    ...content,
    ...credentials,
    tickets,
    uploads,
    mcp,
    imports,
    ...publicDomains,
    logs,
    admin,
    downloads: createDownloads(context),
  };
  return domains;
}

/** The folder of the program, where it is built; sources hand out nothing, because what was built may differ. */
const PROGRAM = import.meta.url.endsWith('.ts') || isExecutable ? null : programPath('');
const EMBEDDED = isExecutable ? (name: string) => readProgramFile(`${BUILT}/${name}`) : null;

function createDownloads({ config, overrides, publicUrl }: Context): Downloads | null {
  if (config.downloads === 'off') return null;
  const { program = PROGRAM, embedded = EMBEDDED } = overrides;
  return new Downloads({ program, embedded, dataDir: config.dataDir, publicUrl });
}

function createPublicLinks(
  { config, publicUrl }: Context,
  parts: Pick<PublicLinksDeps, 'db' | 'clock' | 'keys' | 'vaults'>,
  { accounts, cache }: AccountDomains,
  { attachments, notes, entries: { folders }, compute }: ContentDomains,
): Pick<Domains, 'publicLinks' | 'publicPages'> {
  const enabled = config.publicLinks === 'on';
  const links = new PublicLinks({ ...parts, notes, folders, secrets: accounts.secrets, publicUrl, enabled });
  const pages = new PublicPages({ links, notes, attachments, folders, cache, compute, publicUrl });
  return { publicLinks: links, publicPages: pages };
}

function createImports(
  { ports, config, log, overrides }: Context,
  accountDomains: AccountDomains,
  content: ContentDomains,
  { credentials }: CredentialDomains,
): Imports {
  const { db, clock, blobs } = ports;
  const { vaults, cache } = accountDomains;
  const { notes, attachments, links, entries } = content;
  const failed = (error: unknown) => log.error({ err: error }, 'an import failed');
  const own = { db, clock, blobs, vaults, credentials, cache, failed };
  const parts = { ...own, notes, attachments, links, folders: entries.folders };
  return new Imports(parts, config.attachmentExtensions ?? defaultExtensions, overrides.archiveLimits);
}

function createMcp({ ports: { clock }, config, log, overrides }: Context, { compute }: ContentDomains): Mcp {
  return new Mcp({
    clock,
    version,
    writesPerMinute: config.mcpWritesPerMinute,
    compute,
    failed: (error) => log.error({ err: error }, 'a tool failed'),
    ...(overrides.createMcpServer === undefined ? {} : { createServer: overrides.createMcpServer }),
  });
}

async function createKeys({ ports: { db, keyring, clock } }: Context): Promise<KeyDomains> {
  const keys = new Keys(db, keyring);
  await keys.openServer();
  return { keys, idempotency: new Idempotency({ db, keys, clock }) };
}

function createAccountsAndVaults(
  { ports, config, events, analytics, overrides, publicUrl }: Context,
  { keys }: KeyDomains,
  later: Later,
): AccountDomains {
  const { db, clock, mailer } = ports;
  const { passwordCost } = overrides;
  const hooks = { recipient: (kind: MailKind, address: string) => later().accounts.mailRecipient(kind, address) };
  const mails = new Mails({ db, keys, clock, mailer, publicUrl, render: renderMail, hooks });
  const accounts = createAccounts({
    db,
    keys,
    clock,
    mails,
    publicUrl,
    plans: config.plans,
    defaultPlan: config.defaultPlan,
    passwordLogin: config.passwordLogin,
    registration: config.registration,
    ...(passwordCost === undefined ? {} : { passwordCost }),
    analytics,
    events,
    hooks: {
      async erasing(userId) {
        const { vaults, idempotency, logs } = later();
        await vaults.purgeAllOf(userId);
        await idempotency.purgeUser(userId);
        await logs.purgeUser(userId);
      },
      async raiseRights(handle, userId) {
        const { devices, vaults } = later();
        // Links first: a device that fetches one meanwhile holds its link, and waits for the account.
        await devices.forgetApproved(handle, userId);
        await vaults.raiseAccountRights(handle, userId);
      },
      sharedVaultsOf: (handle, userId) => later().vaults.ownedWithMembers(handle, userId),
      named: (ids) => later().members.named(ids),
      joining: (invite, email) => later().members.invitations.joining(invite, email),
      secondFactors: {
        methodsOf: (handle, userId) => later().identities.secondFactors.methodsOf(handle, userId),
        among: (handle, first, last) => later().identities.secondFactors.among(handle, first, last),
        prepareCheck: (code) => later().identities.secondFactors.prepareCheck(code),
      },
      standalone: {
        of: (handle, userId) => later().identities.standalone.of(handle, userId),
        offered: (host) => later().identities.standalone.offered(host),
        get providerName() {
          return later().identities.standalone.providerName;
        },
      },
      passkeys: {
        among: (handle, first, last) => later().identities.passkeys.among(handle, first, last),
        verifyStepUp: (caller, sent) => later().identities.passkeys.verifyStepUp(caller, sent),
      },
    },
  });
  const oidc = oidcOf(config, publicUrl, clock);
  const identities = createIdentities({ db, keys, clock, events, accounts, publicUrl, ...oidc });
  const vaults = createVaults({
    db,
    keys,
    clock,
    accounts,
    plans: config.plans,
    purgeAfterDays: PURGE_AFTER_DAYS,
    events,
    hooks: {
      deviceLink: (userId, code) => later().devices.authorization.lookUp(userId, code),
      purgeSlice: (vaultId) => purgeSlice(db, later(), vaultId),
      announcedBytes: (handle, vaultIds, except) => later().uploads.announcedBytes(handle, vaultIds, except),
    },
  });
  const activityLog = createActivityLog({ db, clock });
  const members = new Members({
    db,
    clock,
    accounts,
    vaults,
    activity: activityLog,
    events,
    publicUrl,
    registration: config.registration,
    hooks: { membershipEnded: (handle, userId, vaultId) => takeAway(later(), handle, userId, vaultId) },
  });
  const cache = new VaultCache(db, vaults, config.hotVaultsMb * MB);
  return {
    mails,
    accounts,
    identities,
    vaults,
    activityLog,
    members,
    cache,
    productEvents: createProductEvents(analytics, accounts, clock),
  };
}

/** The OpenID Connect provider that the operator has chosen, and what it decides. */
function oidcOf(config: Config, publicUrl: string, clock: Clock) {
  const { oidcIssuer: issuer, oidcName, oidcRegister, oidcAdminClaim } = config;
  const provider = openIdentityProvider(config, publicUrl, clock);
  const providerName = oidcName ?? (issuer === null ? '' : new URL(issuer).hostname);
  return { provider, providerName, registers: oidcRegister === 'on', adminClaim: oidcAdminClaim };
}

/** Takes a vault away from an account: nothing that it has may open the vault, now or after it joins again. */
async function takeAway(domains: Domains, handle: WriteHandle, userId: UserId, vaultId: VaultId): Promise<void> {
  const { credentials, apiKeys, devices, oauth, tickets, uploads, personal, sync, imports } = domains;
  // Links before levels: a device that is let in meanwhile is found among the levels then.
  await devices.forgetVault(handle, userId, vaultId);
  for (const { id, kind } of await credentials.forgetVault(handle, userId, vaultId)) {
    if (kind === 'device') await devices.tokens.end(handle, { userId, id });
    else if (kind === 'oauth') await oauth.end(handle, userId, id);
    else await apiKeys.end(handle, userId, id);
  }
  await tickets.forgetVault(handle, userId, vaultId);
  await uploads.forgetVault(handle, userId, vaultId);
  await imports.forgetVault(handle, userId, vaultId);
  await personal.forgetVault(handle, userId, vaultId);
  await sync.forgetPerson(handle, userId, vaultId);
}

/** Erases a bounded part of a vault, later domains first. Resolves to true while something is left. */
async function purgeSlice(db: Database, domains: Domains, vaultId: VaultId): Promise<boolean> {
  const { attachments, sync, search, notes, entries, activityLog, idempotency } = domains;
  // Outside the transaction, because blobs may be outside the database.
  if (await attachments.purgeBytes(vaultId)) return true;
  return await db.transact(async (handle) => {
    for (const domain of [sync, search, notes, entries, attachments, activityLog, idempotency]) {
      if (await domain.purgeSlice(handle, vaultId)) return true;
    }
    return false;
  });
}

function createCredentialDomains(
  { ports, config, log, events, publicUrl }: Context,
  { keys, accounts, vaults }: KeyDomains & AccountDomains,
  later: Later,
): CredentialDomains {
  const { db, clock, fetcher } = ports;
  const credentials = new Credentials({
    db,
    keys,
    clock,
    accounts,
    vaults,
    events,
    hooks: {
      findDeviceToken: (token) => later().devices.tokens.find(token),
      findOAuthToken: (token) => later().oauth.find(token),
    },
  });
  const apiKeys = new ApiKeys({ db, keys, clock, accounts, credentials, plans: config.plans });
  const devices = new Devices({ db, keys, clock, accounts, vaults, credentials, publicUrl });
  const oauth = new OAuth({
    db,
    keys,
    clock,
    accounts,
    vaults,
    credentials,
    publicUrl,
    web: fetcher,
    verifiedRedirects: config.oauthVerifiedRedirects,
    errorPage: ({ error, description, acceptLanguage }) =>
      pageOf(
        errorPage(acceptedLanguage(acceptLanguage), error, description === null ? null : { english: description }),
      ),
    failed: (error) => log.error({ err: error }, 'an OAuth request failed'),
  });
  const describe: DescribeConnections[] = [
    (userId) => devices.tokens.describe(userId),
    (userId) => oauth.describe(userId),
  ];
  return { credentials, apiKeys, devices, oauth, connections: new Connections({ credentials, vaults, describe }) };
}
