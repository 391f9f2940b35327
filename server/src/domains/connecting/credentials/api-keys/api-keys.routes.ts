import * as schema from '@notevault/protocol/api-keys.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { idempotentRoute, type Route, route } from '../../../../http/route.ts';
import { type ApiKeys, keyIdOf } from './api-keys.ts';

export function apiKeysRoutes(apiKeys: ApiKeys): Route[] {
  return [...keyRoutes(apiKeys), ...patRoutes(apiKeys)];
}

function keyRoutes(apiKeys: ApiKeys): Route[] {
  return [
    idempotentRoute({
      path: '/api-keys',
      operation: 'createApiKey',
      summary: 'Create an API key; its secret is in this answer only',
      body: schema.NewKeyBody,
      responses: { 200: schema.KeyCreated },
      errors: ['limit_exceeded'],
      perform: ({ principal, body }, inTransaction) => apiKeys.create(principal.userId, 'key', body, inTransaction),
      reply: (created) => ({ body: created }),
    }),
    route({
      method: 'GET',
      path: '/api-keys',
      operation: 'listApiKeys',
      summary: 'The keys and personal access tokens of the account',
      responses: { 200: schema.KeysResponse },
      handle: async ({ principal }) => ({ body: { keys: await apiKeys.list(principal.userId) } }),
    }),
    route({
      method: 'DELETE',
      path: '/api-keys/:id',
      operation: 'revokeApiKey',
      summary: 'Revoke a key or personal access token',
      params: schema.KeyParams,
      responses: { 200: schema.Deleted },
      errors: ['invalid_key_id', 'key_not_found'],
      handle: async ({ principal, params }) => {
        const revoked = await apiKeys.revoke(principal.userId, keyIdOf(params.id));
        if (!revoked) throw new NotevaultError('key_not_found');
        return { body: { deleted: true } };
      },
    }),
  ];
}

function patRoutes(apiKeys: ApiKeys): Route[] {
  return [
    idempotentRoute({
      path: '/connections/pat',
      operation: 'createPat',
      summary: 'Create a personal access token; its secret is in this answer only',
      body: schema.NewKeyBody,
      responses: { 201: schema.KeyCreated },
      errors: ['limit_exceeded'],
      perform: ({ principal, body }, inTransaction) => apiKeys.create(principal.userId, 'pat', body, inTransaction),
      reply: (created) => ({ body: created }),
    }),
    route({
      method: 'DELETE',
      path: '/connections/pat/:id',
      operation: 'revokePat',
      summary: 'Revoke a personal access token or key',
      params: schema.KeyParams,
      responses: { 204: null },
      errors: ['connection_not_found'],
      handle: async ({ principal, params }) => {
        const revoked = await apiKeys.revoke(principal.userId, params.id);
        if (!revoked) throw new NotevaultError('connection_not_found');
      },
    }),
  ];
}
