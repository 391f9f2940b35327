import * as schema from '@notevault/protocol/api-keys.ts';
import { ConnectionsResponse } from '@notevault/protocol/connections.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { idempotentRoute, type Route, route } from '../../http/route.ts';
import { keyIdOf } from './api-keys/api-keys.ts';
import { connectionView, keyView } from './connections.mapper.ts';
import type { Connections } from './connections.ts';

export function connectionsRoutes(connections: Connections): Route[] {
  return [...keyRoutes(connections), ...connectionRoutes(connections)];
}

function keyRoutes(connections: Connections): Route[] {
  return [
    idempotentRoute({
      path: '/api-keys',
      operation: 'createApiKey',
      summary: 'Create an API key; its secret is in this answer only',
      access: 'session',
      body: schema.NewKeyBody,
      responses: { 200: schema.KeyCreated },
      errors: ['limit_exceeded'],
      perform: ({ principal, body }, inTransaction) =>
        connections.createKey(principal.userId, 'key', body, inTransaction),
      reply: (created) => ({ body: created }),
    }),
    route({
      method: 'GET',
      path: '/api-keys',
      operation: 'listApiKeys',
      summary: 'The keys and personal access tokens of the account',
      access: 'session',
      responses: { 200: schema.KeysResponse },
      handle: async ({ principal }) => ({
        body: { keys: (await connections.listKeys(principal.userId)).map(keyView) },
      }),
    }),
    route({
      method: 'DELETE',
      path: '/api-keys/:id',
      operation: 'revokeApiKey',
      summary: 'Revoke a key or personal access token',
      access: 'session',
      params: schema.KeyParams,
      responses: { 200: schema.Deleted },
      errors: ['invalid_key_id', 'key_not_found'],
      handle: async ({ principal, params }) => {
        const revoked = await connections.revokeKey(principal.userId, keyIdOf(params.id));
        if (!revoked) throw new NotevaultError('key_not_found');
        return { body: { deleted: true } };
      },
    }),
  ];
}

function connectionRoutes(connections: Connections): Route[] {
  return [
    route({
      method: 'GET',
      path: '/connections',
      operation: 'listConnections',
      summary: 'Everything that may act for the account: OAuth clients, devices, personal access tokens',
      access: 'session',
      responses: { 200: ConnectionsResponse },
      errors: ['vault_unreadable'],
      handle: async ({ principal }) => ({ body: (await connections.list(principal)).map(connectionView) }),
    }),
    idempotentRoute({
      path: '/connections/pat',
      operation: 'createPat',
      summary: 'Create a personal access token; its secret is in this answer only',
      access: 'session',
      body: schema.NewKeyBody,
      responses: { 201: schema.KeyCreated },
      errors: ['limit_exceeded'],
      perform: ({ principal, body }, inTransaction) =>
        connections.createKey(principal.userId, 'pat', body, inTransaction),
      reply: (created) => ({ body: created }),
    }),
    route({
      method: 'DELETE',
      path: '/connections/pat/:id',
      operation: 'revokePat',
      summary: 'Revoke a personal access token or key',
      access: 'session',
      params: schema.KeyParams,
      responses: { 204: null },
      errors: ['connection_not_found'],
      handle: async ({ principal, params }) => {
        const revoked = await connections.revokeKey(principal.userId, params.id);
        if (!revoked) throw new NotevaultError('connection_not_found');
        return {};
      },
    }),
  ];
}
