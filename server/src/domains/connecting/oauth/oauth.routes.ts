import { NotevaultError } from '@notevault/protocol/errors.ts';
import { pathOf, wellKnownUrl } from '@notevault/protocol/public-url.ts';
import { isDatabaseAway } from '../../../http/errors.ts';
import type { RawReply, RawRoute } from '../../../http/pages/raw-routes.ts';
import { type Route, route } from '../../../http/route.ts';
import type { OAuth } from './oauth.ts';
import { paths } from './provider.ts';

const METADATA_SECONDS = 300;

export function oauthRoutes(oauth: OAuth): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/connections/oauth/*',
      tail: 'text',
      operation: 'revokeOAuthClient',
      summary: 'Revoke all access of an OAuth client; the rest of the path is the client id',
      responses: { 204: null },
      errors: ['connection_not_found'],
      handle: ({ principal, tail }) => oauth.revoke(principal.userId, tail),
    }),
  ];
}

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
  const mcpUrl = `${publicUrl}/api/mcp`;
  const documents: [name: string, url: string, document: object][] = [
    ['oauth-authorization-server', publicUrl, oauth.metadata()],
    ['oauth-protected-resource', publicUrl, oauth.resourceMetadata(publicUrl)],
    ['oauth-protected-resource', mcpUrl, oauth.resourceMetadata(mcpUrl)],
  ];
  return documents.flatMap(([name, url, document]) =>
    Array.from(pathsOfDocument(name, url, publicUrl), (path) => ({
      method: 'GET',
      path,
      head: true,
      anyOrigin: true,
      handle: async () => ({ document, maxAgeSeconds: METADATA_SECONDS }),
    })),
  );
}

/** Returns the path by the RFCs and, below a public path, the one that some clients append to the public URL. */
function pathsOfDocument(name: string, url: string, publicUrl: string): ReadonlySet<string> {
  const appended = `/.well-known/${name}${url.slice(publicUrl.length)}`;
  return new Set([pathOf(wellKnownUrl(url, name)), appended]);
}
