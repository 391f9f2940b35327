import type { Tasks } from '../concurrency/task-worker.ts';
import type { WorkerPool } from '../concurrency/worker-pool.ts';
import type { Accounts } from '../domains/accounts/accounts.ts';
import type { Admin } from '../domains/admin/admin.ts';
import type { ApiKeys } from '../domains/api-keys/api-keys.ts';
import type { Attachments } from '../domains/attachments/attachments.ts';
import type { Connections } from '../domains/connections/connections.ts';
import type { Credentials } from '../domains/credentials/credentials.ts';
import type { Devices } from '../domains/devices/devices.ts';
import type { Entries } from '../domains/entries/entries.ts';
import type { Idempotency } from '../domains/idempotency/idempotency.ts';
import type { Imports } from '../domains/imports/imports.ts';
import type { Keys } from '../domains/keys/keys.ts';
import type { Links } from '../domains/links/links.ts';
import type { Logs } from '../domains/logs/logs.ts';
import type { Mcp } from '../domains/mcp/mcp.ts';
import type { Members } from '../domains/members/members.ts';
import type { Notes } from '../domains/notes/notes.ts';
import type { OAuth } from '../domains/oauth/oauth.ts';
import type { Personal } from '../domains/personal/personal.ts';
import type { Search } from '../domains/search/search.ts';
import type { Sync } from '../domains/sync/sync.ts';
import type { Tickets } from '../domains/tickets/tickets.ts';
import type { Uploads } from '../domains/uploads/uploads.ts';
import type { VaultCache } from '../domains/vaults/cache/vault-cache.ts';
import type { Vaults } from '../domains/vaults/vaults.ts';
import type { ProductEvents } from '../product-events.ts';

/** The domains that all later ones use: data keys and idempotency. */
export interface KeyDomains {
  readonly keys: Keys;
  readonly idempotency: Idempotency;
}

export interface AccountDomains {
  readonly accounts: Accounts;
  readonly vaults: Vaults;
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
  readonly logs: Logs;
  readonly admin: Admin;
}

/** Returns all domains once they exist, for hooks in which an earlier one calls a later one. */
export type Later = () => Domains;
