import { NotevaultError } from '@notevault/protocol/errors.ts';
import { isDatabaseAway } from '../../../http/errors.ts';
import type { RawReply, RawRoute } from '../../../http/pages/raw-routes.ts';
import type { OAuth } from './oauth.ts';
import { paths } from './provider.ts';

const METADATA_SECONDS = 300;

/** The OAuth endpoints, which use the formats of their RFCs. */
export function providerRoutes(oauth: OAuth, publicUrl: string): RawRoute[] {
  return [...protocolRoutes(oauth), ...metadataRoutes(oauth, publicUrl)];
}

function protocolRoutes(oauth: OAuth): RawRoute[] {
  const shared = { limit: 'auth', handle: () => answeredByProvider(oauth) } as const;
  return [
    { ...shared, method: 'GET', path: paths.authorize },
    { ...shared, method: 'GET', path: paths.resume },
    { ...shared, method: 'POST', path: paths.token, anyOrigin: true },
    { ...shared, method: 'POST', path: paths.register, anyOrigin: true },
    { ...shared, method: 'GET', path: paths.registration, anyOrigin: true },
    { ...shared, method: 'POST', path: paths.revoke, anyOrigin: true },
    { ...shared, method: 'GET', path: paths.jwks, anyOrigin: true },
  ];
}

async function answeredByProvider(oauth: OAuth): Promise<RawReply> {
  // If the provider cannot be opened, this server answers itself.
  const answeredBy = await oauth.provider().catch((error) => {
    throw isDatabaseAway(error) ? new NotevaultError('oauth_unavailable', {}, error) : error;
  });
  return { answeredBy };
}

function metadataRoutes(oauth: OAuth, publicUrl: string): RawRoute[] {
  const documents = {
    '/.well-known/oauth-authorization-server': oauth.metadata(),
    '/.well-known/oauth-protected-resource': oauth.resourceMetadata(publicUrl),
    '/.well-known/oauth-protected-resource/api/mcp': oauth.resourceMetadata(`${publicUrl}/api/mcp`),
  };
  return Object.entries(documents).map(([path, document]) => ({
    method: 'GET',
    path,
    head: true,
    anyOrigin: true,
    handle: async () => ({ document, maxAgeSeconds: METADATA_SECONDS }),
  }));
}
