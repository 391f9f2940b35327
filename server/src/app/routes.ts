import { NotevaultError } from '@notevault/protocol/errors.ts';
import { pathOf } from '@notevault/protocol/public-url.ts';
import { startLink } from '@notevault/protocol/start-link.ts';
import type { Context } from '../app.ts';
import { apiKeysRoutes } from '../domains/connecting/credentials/api-keys/api-keys.routes.ts';
import { connectionsRoutes } from '../domains/connecting/credentials/connections/connections.routes.ts';
import { ticketsRoutes } from '../domains/connecting/credentials/tickets/tickets.routes.ts';
import { devicesRoutes, linkPageRoutes } from '../domains/connecting/devices/devices.routes.ts';
import { consentRoutes } from '../domains/connecting/oauth/consent.routes.ts';
import { oauthRoutes, providerRoutes } from '../domains/connecting/oauth/oauth.routes.ts';
import { signedInReply } from '../domains/content/accounts/accounts.mapper.ts';
import { accountsRoutes } from '../domains/content/accounts/accounts.routes.ts';
import { attachmentsRoutes } from '../domains/content/attachments/attachments.routes.ts';
import { entriesRoutes } from '../domains/content/entries/entries.routes.ts';
import { identitiesRoutes } from '../domains/content/identities/identities.routes.ts';
import { identityRoutes, type OidcPages, oidcPageRoutes } from '../domains/content/identities/oidc/oidc.routes.ts';
import { passkeysRoutes } from '../domains/content/identities/passkeys/passkeys.routes.ts';
import { relyingPartyOf } from '../domains/content/identities/passkeys/relying-party.ts';
import { linksRoutes } from '../domains/content/links/links.routes.ts';
import { membersRoutes } from '../domains/content/members/members.routes.ts';
import { historyRoutes } from '../domains/content/notes/history/history.routes.ts';
import { batchRoutes, folderNotesRoutes, notesRoutes, textEditsRoutes } from '../domains/content/notes/notes.routes.ts';
import { personalRoutes } from '../domains/content/personal/personal.routes.ts';
import { vaultsRoutes } from '../domains/content/vaults/vaults.routes.ts';
import { importsRoutes } from '../domains/exchanging/imports/imports.routes.ts';
import { publicPagesRoutes } from '../domains/exchanging/public-links/pages.routes.ts';
import { publicLinksRoutes } from '../domains/exchanging/public-links/public-links.routes.ts';
import { uploadsRoutes } from '../domains/exchanging/uploads/uploads.routes.ts';
import { adminRoutes } from '../domains/operating/admin/admin.routes.ts';
import { downloadsRoutes } from '../domains/operating/downloads/downloads.routes.ts';
import { logsRoutes } from '../domains/operating/logs/logs.routes.ts';
import { activityRoutes } from '../domains/reading/activity/activity.routes.ts';
import { searchRoutes } from '../domains/reading/search/search.routes.ts';
import { syncRoutes } from '../domains/reading/sync/sync.routes.ts';
import type { RawRoute } from '../http/pages/raw-routes.ts';
import type { SignInWays } from '../http/pages/sign-in-ways.pages.ts';
import { type Route, route } from '../http/route.ts';
import { version } from '../version.ts';
import type { Domains } from './domains.ts';

const REPLACEMENTS = 'This feed was retired: use GET /sync/changes, or GET /sync/manifest and the sync socket.';

export function routesOf(domains: Domains): Route[] {
  return [
    ...goneRoutes(),
    ...accountsRoutes(domains.accounts),
    ...identitiesRoutes(domains.identities),
    ...identityRoutes(domains.identities.oidc),
    ...passkeysRoutes(domains.identities, signedInReply),
    ...vaultsRoutes(domains.vaults),
    ...membersRoutes(domains.members),
    ...notesRoutes(domains.notes),
    ...personalRoutes(domains.personal),
    ...batchRoutes(domains.notes),
    ...textEditsRoutes(domains.notes),
    ...historyRoutes(domains.notes),
    ...attachmentsRoutes(domains.attachments),
    ...linksRoutes(domains.links),
    ...entriesRoutes(domains.entries),
    ...folderNotesRoutes(domains.entries.folders, domains.notes),
    ...syncRoutes(domains.sync),
    ...searchRoutes(domains.search),
    ...activityRoutes(domains.activity),
    ...apiKeysRoutes(domains.apiKeys),
    ...connectionsRoutes(domains.connections),
    ...devicesRoutes(domains.devices),
    ...ticketsRoutes(domains.tickets),
    ...uploadsRoutes(domains.uploads),
    ...importsRoutes(domains.imports),
    ...publicLinksRoutes(domains.publicLinks),
    ...logsRoutes(domains.logs),
    ...adminRoutes(domains.admin),
    ...oauthRoutes(domains.oauth),
  ];
}

/** Routes with their own formats: pages for people, and the OAuth endpoints. */
export function rawRoutesOf(
  { oauth, devices, downloads, publicLinks, publicPages, identities }: Domains,
  { publicUrl, log, ...offers }: SignInOffers & Pick<Context, 'log'>,
): RawRoute[] {
  const report: OidcPages['report'] = (failure) => log.warn(failure, 'a sign-in at the identity provider failed');
  const ways = signInWaysOf(identities.oidc.name, { publicUrl, ...offers });
  return [
    ...oidcPageRoutes({ oidc: identities.oidc, publicUrl, report }),
    ...providerRoutes(oauth, publicUrl),
    ...consentRoutes(oauth, ways),
    ...linkPageRoutes(devices, ways),
    ...downloadsRoutes(downloads, version),
    ...publicPagesRoutes(publicLinks, publicPages),
  ];
}

/** Removed change feeds: old clients are told what to use instead. */
function goneRoutes(): Route[] {
  return [
    goneRoute('/notes/changes', 'listNoteChanges', 'Removed: changes of notes'),
    goneRoute('/attachments/changes', 'listAttachmentChanges', 'Removed: changes of attachments'),
  ];
}

function goneRoute(path: string, operation: 'listNoteChanges' | 'listAttachmentChanges', summary: string): Route {
  return route({
    method: 'GET',
    path,
    operation,
    summary,
    responses: {},
    errors: ['gone'],
    handle: async () => {
      throw new NotevaultError('gone', { message: REPLACEMENTS });
    },
  });
}

/** Options that decide how people sign in on pages without scripts. */
interface SignInOffers extends Pick<Context, 'publicUrl'> {
  readonly passwordLogin: Context['config']['passwordLogin'];
  readonly hasWebApp: boolean;
}

function signInWaysOf(provider: string | null, { publicUrl, passwordLogin, hasWebApp }: SignInOffers): SignInWays {
  const providerHref = (page: string) =>
    `${publicUrl}/api/auth/oidc/start?${new URLSearchParams({ return_to: pathOf(publicUrl) + page })}`;
  const hasPasskeys = hasWebApp && relyingPartyOf(publicUrl) !== null;
  return {
    hasPassword: passwordLogin !== 'off',
    provider: provider === null ? null : { name: provider, href: providerHref },
    passkeyHref: hasPasskeys ? (page) => startLink(publicUrl, 'passkey', page) : null,
  };
}
