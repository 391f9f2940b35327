import { accountsRoutes } from '../domains/accounts/accounts.routes.ts';
import { adminRoutes } from '../domains/admin/admin.routes.ts';
import { apiKeysRoutes } from '../domains/api-keys/api-keys.routes.ts';
import { attachmentsRoutes } from '../domains/attachments/attachments.routes.ts';
import { connectionsRoutes } from '../domains/connections/connections.routes.ts';
import { devicesRoutes } from '../domains/devices/devices.routes.ts';
import { linkPageRoutes } from '../domains/devices/link-page.routes.ts';
import { foldersRoutes } from '../domains/entries/folders/folders.routes.ts';
import { movesRoutes } from '../domains/entries/moves/moves.routes.ts';
import { trashRoutes } from '../domains/entries/trash/trash.routes.ts';
import { importsRoutes } from '../domains/imports/imports.routes.ts';
import { linksRoutes } from '../domains/links/links.routes.ts';
import { logsRoutes } from '../domains/logs/logs.routes.ts';
import { membersRoutes } from '../domains/members/members.routes.ts';
import { folderNotesRoutes } from '../domains/notes/folder-notes.routes.ts';
import { historyRoutes } from '../domains/notes/history/history.routes.ts';
import { batchRoutes, notesRoutes, textEditsRoutes } from '../domains/notes/notes.routes.ts';
import { consentRoutes } from '../domains/oauth/consent.routes.ts';
import { oauthRoutes } from '../domains/oauth/oauth.routes.ts';
import { providerRoutes } from '../domains/oauth/provider.routes.ts';
import { personalRoutes } from '../domains/personal/personal.routes.ts';
import { searchRoutes } from '../domains/search/search.routes.ts';
import { syncRoutes } from '../domains/sync/sync.routes.ts';
import { ticketsRoutes } from '../domains/tickets/tickets.routes.ts';
import { uploadsRoutes } from '../domains/uploads/uploads.routes.ts';
import { vaultsRoutes } from '../domains/vaults/vaults.routes.ts';
import { goneRoutes } from '../http/gone-routes.ts';
import type { RawRoute } from '../http/pages/raw-routes.ts';
import type { Route } from '../http/route.ts';
import type { Domains } from './domains.ts';

export function routesOf(domains: Domains): Route[] {
  return [
    ...goneRoutes(),
    ...accountsRoutes(domains.accounts),
    ...vaultsRoutes(domains.vaults),
    ...membersRoutes(domains.members),
    ...notesRoutes(domains.notes),
    ...personalRoutes(domains.personal),
    ...batchRoutes(domains.notes),
    ...textEditsRoutes(domains.notes),
    ...historyRoutes(domains.notes),
    ...attachmentsRoutes(domains.attachments),
    ...linksRoutes(domains.links),
    ...foldersRoutes(domains.entries.folders),
    ...movesRoutes(domains.entries),
    ...trashRoutes(domains.entries.trash),
    ...folderNotesRoutes(domains.entries.folders, domains.notes),
    ...syncRoutes(domains.sync),
    ...searchRoutes(domains.search),
    ...apiKeysRoutes(domains.apiKeys),
    ...connectionsRoutes(domains.connections),
    ...devicesRoutes(domains.devices),
    ...ticketsRoutes(domains.tickets),
    ...uploadsRoutes(domains.uploads),
    ...importsRoutes(domains.imports),
    ...logsRoutes(domains.logs),
    ...adminRoutes(domains.admin),
    ...oauthRoutes(domains.oauth),
  ];
}

/** Routes outside the API: pages for people, and the OAuth endpoints. */
export function rawRoutesOf({ oauth, devices }: Domains, publicUrl: string): RawRoute[] {
  return [...providerRoutes(oauth, publicUrl), ...consentRoutes(oauth), ...linkPageRoutes(devices)];
}
