import { type Route, route } from '../../../http/route.ts';
import type { OAuth } from './oauth.ts';

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
