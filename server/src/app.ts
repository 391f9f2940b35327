import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { Background } from './background.ts';
import type { Config } from './config/config.ts';
import { publicUrlOf } from './config/config.ts';
import { accountsRoutes } from './domains/accounts/accounts.routes.ts';
import { type Accounts, createAccounts } from './domains/accounts/accounts.ts';
import { allowedExtensions } from './domains/attachments/attachments.ts';
import { foldersRoutes } from './domains/folders/folders.routes.ts';
import { createFolders, type Folders } from './domains/folders/folders.ts';
import { createIdempotency } from './domains/idempotency/idempotency.ts';
import { createKeys, type Keys } from './domains/keys/keys.ts';
import { linksRoutes } from './domains/links/links.routes.ts';
import { createLinks, type Links } from './domains/links/links.ts';
import { bulkRoutes } from './domains/notes/bulk.routes.ts';
import { historyRoutes } from './domains/notes/history.routes.ts';
import { notesRoutes } from './domains/notes/notes.routes.ts';
import { createNotes, type Notes } from './domains/notes/notes.ts';
import { createTree } from './domains/tree/tree.ts';
import { vaultsRoutes } from './domains/vaults/vaults.routes.ts';
import { createVaults, type Vaults } from './domains/vaults/vaults.ts';
import type { Engines } from './engines.ts';
import { buildHttp } from './http/http.ts';
import { retiredRoutes } from './http/retired.ts';
import { version } from './version.ts';

/** A whole service, not listening yet: the verbs for the command line, the same verbs behind HTTP. */
export interface App extends AsyncDisposable {
  readonly http: FastifyInstance;
  readonly accounts: Accounts;
  readonly vaults: Vaults;
  readonly notes: Notes;
  readonly links: Links;
  readonly folders: Folders;
  readonly keys: Keys;
  /** Work derived from state (purges, erasures): started by `serve`, not by single commands. */
  readonly background: Background;
}

const HOUR_MS = 3_600_000;
const PURGE_AFTER_DAYS = 30;

/** Puts the rooms together and binds what each must cause in those on its right. Throws KeyringError for a wrong master key. */
export async function buildApp(
  engines: Pick<Engines, 'db' | 'keyring' | 'clock'>,
  config: Config,
  log: FastifyBaseLogger,
): Promise<App> {
  const { db, keyring, clock } = engines;
  const keys = createKeys(db, keyring);
  await keys.openServer();

  const tree = createTree(clock);
  const idempotency = createIdempotency({ db, keys, clock });
  const accounts: Accounts = createAccounts({
    ...{ db, keys, clock, plans: config.plans, defaultPlan: config.defaultPlan, registration: config.registration },
    hooks: {
      erasing: async (userId) => {
        await vaults.eraseAllOf(userId);
        await idempotency.eraseUser(userId);
      },
      credentialsChanged: () => undefined,
    },
  });
  const vaults: Vaults = createVaults({
    ...{ db, keys, clock, accounts, plans: config.plans, purgeAfterDays: PURGE_AFTER_DAYS },
    hooks: {
      opened: () => undefined,
      closed: () => undefined,
      deviceLink: async () => null,
      eraseSlice: (vaultId) =>
        db.transact(
          async (handle) =>
            (await notes.eraseSlice(handle, vaultId)) ||
            (await tree.eraseSlice(handle, vaultId)) ||
            (await idempotency.eraseSlice(handle, vaultId)),
        ),
    },
  });
  const links = createLinks(db, allowedExtensions);
  const retention = { hourlyDays: config.versionsHourlyDays, dailyDays: config.versionsDailyDays };
  const notes = createNotes({ db, tree, vaults, clock, retention, hooks: links });
  const folders = createFolders({ db, tree, vaults, notes });

  const background = new Background(log, [
    { name: 'purge', everyMs: HOUR_MS, run: () => vaults.purgeDue(clock.now()) },
    { name: 'answers', everyMs: HOUR_MS, run: () => idempotency.removeExpired() },
    { name: 'versions', everyMs: HOUR_MS, run: () => notes.thinVersions() },
    { name: 'erase', everyMs: HOUR_MS, run: () => accounts.resumeErasures() },
  ]);
  const http = await buildHttp({
    ...{ log, version, publicUrl: publicUrlOf(config, config.port), corsOrigins: config.corsOrigins },
    ...{ trustProxy: config.trustProxy, authRateLimit: config.authRateLimit },
    routes: [
      ...retiredRoutes(),
      ...accountsRoutes(accounts),
      ...vaultsRoutes(vaults),
      ...notesRoutes(notes),
      ...bulkRoutes(notes),
      ...historyRoutes(notes),
      ...linksRoutes(links),
      ...foldersRoutes(folders, notes),
    ],
    gate: {
      authenticate: (authorization) => accounts.authenticate(authorization),
      openVault: (principal, header, need) => vaults.openVault(principal, header, need),
    },
    idempotency,
    ready: () => keys.probe(),
  });
  return {
    ...{ http, accounts, vaults, notes, links, folders, keys, background },
    async [Symbol.asyncDispose]() {
      await http.close();
      await background[Symbol.asyncDispose]();
    },
  };
}
