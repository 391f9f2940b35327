import type { Tasks } from '../concurrency/task-worker.ts';
import type { WorkerPool } from '../concurrency/worker-pool.ts';
import type { ApiKeys } from '../domains/connecting/credentials/api-keys/api-keys.ts';
import type { Connections } from '../domains/connecting/credentials/connections/connections.ts';
import type { Credentials } from '../domains/connecting/credentials/credentials.ts';
import type { Tickets } from '../domains/connecting/credentials/tickets/tickets.ts';
import type { Devices } from '../domains/connecting/devices/devices.ts';
import type { OAuth } from '../domains/connecting/oauth/oauth.ts';
import type { Accounts } from '../domains/content/accounts/accounts.ts';
import type { ActivityLog } from '../domains/content/activity-log/activity-log.ts';
import type { Attachments } from '../domains/content/attachments/attachments.ts';
import type { Entries } from '../domains/content/entries/entries.ts';
import type { Identities } from '../domains/content/identities/identities.ts';
import type { Links } from '../domains/content/links/links.ts';
import type { Mails } from '../domains/content/mails/mails.ts';
import type { Members } from '../domains/content/members/members.ts';
import type { Notes } from '../domains/content/notes/notes.ts';
import type { Personal } from '../domains/content/personal/personal.ts';
import type { VaultCache } from '../domains/content/vaults/cache/vault-cache.ts';
import type { Vaults } from '../domains/content/vaults/vaults.ts';
import type { Imports } from '../domains/exchanging/imports/imports.ts';
import type { Mcp } from '../domains/exchanging/mcp/mcp.ts';
import type { PublicPages } from '../domains/exchanging/public-links/pages.ts';
import type { PublicLinks } from '../domains/exchanging/public-links/public-links.ts';
import type { Uploads } from '../domains/exchanging/uploads/uploads.ts';
import type { Idempotency } from '../domains/foundation/idempotency/idempotency.ts';
import type { Keys } from '../domains/foundation/keys/keys.ts';
import type { Admin } from '../domains/operating/admin/admin.ts';
import type { Downloads } from '../domains/operating/downloads/downloads.ts';
import type { Logs } from '../domains/operating/logs/logs.ts';
import type { Activity } from '../domains/reading/activity/activity.ts';
import type { Search } from '../domains/reading/search/search.ts';
import type { Sync } from '../domains/reading/sync/sync.ts';
import type { ProductEvents } from '../product-events.ts';

/** The domains that all later ones use: data keys and idempotency. */
export interface KeyDomains {
  readonly keys: Keys;
  readonly idempotency: Idempotency;
}

export interface AccountDomains {
  readonly mails: Mails;
  readonly accounts: Accounts;
  readonly identities: Identities;
  readonly vaults: Vaults;
  readonly activityLog: ActivityLog;
  readonly members: Members;
  readonly cache: VaultCache;
  readonly productEvents: ProductEvents;
}

/** The contents of vaults, and what is derived from them. */
export interface ContentDomains {
  readonly links: Links;
  readonly entries: Entries;
  readonly notes: Notes;
  readonly personal: Personal;
  readonly attachments: Attachments;
  readonly sync: Sync;
  readonly search: Search;
  readonly activity: Activity;
  /** The worker threads for costly work. */
  readonly compute: WorkerPool<Tasks>;
}

export interface CredentialDomains {
  readonly credentials: Credentials;
  readonly apiKeys: ApiKeys;
  readonly devices: Devices;
  readonly oauth: OAuth;
  readonly connections: Connections;
}

export interface Domains extends KeyDomains, AccountDomains, ContentDomains, CredentialDomains {
  readonly tickets: Tickets;
  readonly uploads: Uploads;
  readonly mcp: Mcp;
  readonly imports: Imports;
  readonly publicLinks: PublicLinks;
  readonly publicPages: PublicPages;
  readonly logs: Logs;
  readonly admin: Admin;
  /** Null if this server hands out no clients. */
  readonly downloads: Downloads | null;
}

/** Returns all domains once they exist, for hooks in which an earlier one calls a later one. */
export type Later = () => Domains;
