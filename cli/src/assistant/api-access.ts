import { fixedToken, type TokenSource, tokensFrom } from '@notevault/client/tokens.ts';
import type { App } from '@notevault/server/app.ts';
import { adminSocketPath, DataFolderBusy, requireData } from '@notevault/server/data/data-folder.ts';
import { localFetch } from '@notevault/server/http/fetch/local-fetch.ts';
import { adminClient } from '../admin-client.ts';
import { configOf } from '../config-flags.ts';
import { processEnvironment } from '../environment.ts';
import { accountMessage, CliError } from '../error-messages.ts';
import { openApp } from '../open-app.ts';
import { deviceTokensOf } from '../sync/account/connect.ts';
import { Credentials } from '../sync/account/credentials.ts';
import { serverOrigin } from '../sync/account/server-address.ts';

/** Address, credentials and `fetch` for calls to a server's API. */
export interface ApiAccess {
  readonly url: string;
  readonly tokens: TokenSource;
  /** The global `fetch` if absent. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Runs `work` with an API: of the server named by flags or environment, else of a stored login's server, else of the
 * data folder (in this process or through its server).
 */
export async function withApi(flags: Record<string, unknown>, work: (api: ApiAccess) => Promise<void>): Promise<void> {
  const environment = processEnvironment();
  const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const url = text('url') ?? environment.url;
  const token = text('token') ?? environment.token;
  if (url !== null && token !== null) {
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
      throw new CliError(`The server address "${url}" is invalid: it must look like https://notes.example.org.`);
    }
    return work({ url, tokens: fixedToken(token) });
  }
  const login = hasDataFlags(flags) ? null : await storedLogin(environment.configFolder, url, text('vault'));
  if (login !== null) return work(login);
  if (url !== null)
    throw new CliError('The server needs a token: set NOTEVAULT_TOKEN, pass --token, or run "notevault login".');
  if (text('token') !== undefined) throw new CliError('--token needs --url, the server that it is for.');
  const user = text('user');
  const config = configOf(flags);
  requireData(config);
  try {
    try {
      await using app = await openApp(config);
      return await work(await localApi(app, user));
    } catch (error) {
      if (!(error instanceof DataFolderBusy)) throw error;
    }
    const admin = adminClient(adminSocketPath(config.dataDir));
    const session = await admin.openSession(user);
    return await work({ url: session.url, tokens: tokensFrom(async () => (await admin.openSession(user)).token) });
  } catch (error) {
    throw accountMessage(user, error);
  }
}

/** Returns whether the flags name a data folder or a database. */
function hasDataFlags(flags: Record<string, unknown>): boolean {
  return flags.dataDir !== undefined || flags.databaseUrl !== undefined;
}

/** Returns the stored login; null if there is none. Throws CliError if several match. */
async function storedLogin(
  configFolder: string,
  url: string | null,
  vault: string | undefined,
): Promise<ApiAccess | null> {
  const credentials = new Credentials(configFolder);
  const origin = url === null ? null : serverOrigin(url, true);
  const fitting = (await credentials.list()).filter(
    (one) =>
      (origin === null || one.url === origin) &&
      (vault === undefined || [one.vault_id, one.vault_name].includes(vault)),
  );
  const [only] = fitting;
  if (only === undefined) {
    if (vault === undefined) return null;
    throw new CliError(`This device is not signed in for the vault ${vault}: run "notevault login" first.`);
  }
  if (fitting.length > 1) {
    const names = fitting.map(({ vault_name: name, url: at }) => `"${name}" on ${at}`).join(', ');
    throw new CliError(`This device is signed in for several vaults: choose one with --vault or --url (${names}).`);
  }
  serverOrigin(only.url, only.allow_http);
  return { url: only.url, tokens: deviceTokensOf(credentials, only) };
}

/** Returns access to the API of this process, which does not listen on a port. */
async function localApi(app: App, user: string | undefined): Promise<ApiAccess> {
  const http = await app.http();
  await http.ready();
  // Reports a missing account before the host sends requests.
  const first = await app.accounts.openSession(user);
  let opened: typeof first | null = first;
  const tokens = tokensFrom(async () => {
    const session = opened ?? (await app.accounts.openSession(user));
    opened = null;
    return session.token;
  });
  return { url: 'http://localhost', tokens, fetch: localFetch(http.server, { headers: {} }) };
}
