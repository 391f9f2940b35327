import { accountsRoutes } from '../domains/accounts/accounts.routes.ts';
import { adminRoutes } from '../domains/admin/admin.routes.ts';
import { apiKeysRoutes } from '../domains/api-keys/api-keys.routes.ts';
import { attachmentsRoutes } from '../domains/attachments/attachments.routes.ts';
import { connectionsRoutes } from '../domains/connections/connections.routes.ts';
import { devicesRoutes } from '../domains/devices/devices.routes.ts';
import { linkPageRoutes } from '../domains/devices/link-page.routes.ts';
import { foldersRoutes } from '../domains/entries/folders/folders.routes.ts';
import { trashRoutes } from '../domains/entries/trash/trash.routes.ts';
import { importsRoutes } from '../domains/imports/imports.routes.ts';
import { linksRoutes } from '../domains/links/links.routes.ts';
import { logsRoutes } from '../domains/logs/logs.routes.ts';
import { folderNotesRoutes } from '../domains/notes/folder-notes.routes.ts';
import { historyRoutes } from '../domains/notes/history/history.routes.ts';
import { notesRoutes } from '../domains/notes/notes.routes.ts';
import { batchRoutes } from '../domains/notes/writes/batch/batch.routes.ts';
import { consentRoutes } from '../domains/oauth/consent.routes.ts';
import { oauthRoutes } from '../domains/oauth/oauth.routes.ts';
import { providerRoutes } from '../domains/oauth/provider.routes.ts';
import type { RateLimits } from '../domains/plans/rate-limits.ts';
import { searchRoutes } from '../domains/search/search.routes.ts';
import { syncRoutes } from '../domains/sync/sync.routes.ts';
import { ticketsRoutes } from '../domains/tickets/tickets.routes.ts';
import { vaultsRoutes } from '../domains/vaults/vaults.routes.ts';
import { goneRoutes } from '../http/gone-routes.ts';
import type { RawRoute } from '../http/pages/raw-route.ts';
import type { Guard, Route } from '../http/route.ts';
import type { Database } from '../ports/database/database.ts';
import { isStorageFull } from '../telemetry/storage-state.ts';
import type { Domains } from './domains.ts';

export function routesOf(domains: Domains): Route[] {
  return [
    ...goneRoutes(),
    ...accountsRoutes(domains.accounts),
    ...vaultsRoutes(domains.vaults),
    ...notesRoutes(domains.notes),
    ...batchRoutes(domains.notes),
    ...historyRoutes(domains.notes),
    ...attachmentsRoutes(domains.attachments),
    ...linksRoutes(domains.links),
    ...foldersRoutes(domains.entries.folders),
    ...trashRoutes(domains.entries.trash),
    ...folderNotesRoutes(domains.entries.folders, domains.notes),
    ...syncRoutes(domains.sync),
    ...searchRoutes(domains.search),
    ...apiKeysRoutes(domains.apiKeys),
    ...connectionsRoutes(domains.connections),
    ...devicesRoutes(domains.devices),
    ...ticketsRoutes(domains.tickets),
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

/** Decides who calls, how often they may, and which vault they use. */
export function guardOf({ credentials, vaults, notes }: Domains, db: Database, rateLimits: RateLimits): Guard {
  return {
    authenticate: (authorization, client) => credentials.authenticate(authorization, client),
    consumeQuota: ({ userId, tier }, use) => rateLimits.consume(userId, tier, use),
    selectVault(header) {
      const found = header === undefined ? undefined : vaults.findVault(header);
      // It is awaited only for a caller who is known.
      found?.catch(() => undefined);
      return async (principal, need) => {
        const vault = await vaults.openVault(principal, header, need, found);
        // An acknowledged edit of a socket must be visible to every later request.
        // On a full disk it stays in the log, and what is in its note can still be read.
        if (vault.hasWaitingEdits) {
          await notes.live.flush(vault).catch((error: unknown) => {
            if (need === 'write' || !isStorageFull(error)) throw error;
          });
        }
        return vault;
      };
    },
    async stateOf(vault) {
      const { changeSeq } = await vaults.feed(db, vault);
      return `${vault.id} ${vault.feedEpoch} ${changeSeq}`;
    },
  };
}
