import type { Context } from '../app.ts';
import { ApiKeys } from '../domains/connecting/credentials/api-keys/api-keys.ts';
import { Connections } from '../domains/connecting/credentials/connections/connections.ts';
import { Credentials, type DescribeConnections } from '../domains/connecting/credentials/credentials.ts';
import { Devices } from '../domains/connecting/devices/devices.ts';
import { OAuth } from '../domains/connecting/oauth/oauth.ts';
import { acceptedLanguage } from '../http/pages/page-language.ts';
import { errorPage, pageOf } from '../http/pages/pages.ts';
import type { AccountDomains, CredentialDomains, KeyDomains, Later } from './domains.ts';

export function createCredentialDomains(
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
