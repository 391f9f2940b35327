import * as schema from '@notevault/protocol/devices.ts';
import { type Route, route } from '../../../http/route.ts';
import type { DeviceAuthorization, Devices, DeviceTokens } from './devices.ts';

/** Headers of answers with tokens, which no cache may store (RFC 6749, section 5.1). */
const headers = { 'cache-control': 'no-store' };

export function devicesRoutes({ authorization, tokens }: Devices): Route[] {
  return [...linkRoutes(authorization), ...tokenRoutes(authorization, tokens)];
}

function linkRoutes(authorization: DeviceAuthorization): Route[] {
  return [
    route({
      method: 'POST',
      path: '/auth/device',
      operation: 'startDeviceLink',
      summary: 'Start linking a device',
      body: schema.DeviceBody,
      responses: { 200: schema.DeviceStarted },
      handle: async ({ body }) => ({ body: await authorization.start(body ?? {}), headers }),
    }),
    route({
      method: 'POST',
      path: '/auth/device/authorize',
      operation: 'authorizeDevice',
      summary: 'Authorize a device for a vault, or refuse it',
      body: schema.DecisionBody,
      responses: { 200: schema.Decided },
      errors: ['device_code_not_found', 'device_vault_not_owned', 'limit_exceeded', 'vault_unreadable'],
      handle: async ({ principal, body }) => ({
        body: { ok: true, vault_id: await authorization.authorize(principal, body ?? {}) },
      }),
    }),
  ];
}

function tokenRoutes(authorization: DeviceAuthorization, tokens: DeviceTokens): Route[] {
  return [
    route({
      method: 'POST',
      path: '/auth/device/token',
      operation: 'pollDeviceLink',
      summary: 'Get the tokens of an authorized device',
      body: schema.PollBody,
      responses: { 200: schema.DeviceGrantResponse },
      errors: ['authorization_pending', 'slow_down', 'access_denied', 'device_code_expired'],
      handle: async ({ body, ip, userAgent }) => ({
        body: await authorization.poll(body.device_code, { ip, userAgent }),
        headers,
      }),
    }),
    route({
      method: 'POST',
      path: '/auth/token/refresh',
      operation: 'refreshDevice',
      summary: 'Exchange a device’s refresh token for new tokens',
      body: schema.RefreshBody,
      responses: { 200: schema.DeviceTokensResponse },
      errors: ['invalid_device_token'],
      handle: async ({ body }) => ({ body: await tokens.refresh(body.refresh_token), headers }),
    }),
    route({
      method: 'POST',
      path: '/auth/token/revoke',
      operation: 'signOffDevice',
      summary: 'End a device by its refresh token; unknown tokens are answered alike',
      body: schema.RefreshBody,
      responses: { 204: null },
      handle: ({ body }) => tokens.signOff(body.refresh_token),
    }),
    route({
      method: 'DELETE',
      path: '/connections/device/:family_id',
      operation: 'revokeDevice',
      summary: 'Revoke a device',
      params: schema.FamilyParams,
      responses: { 204: null },
      errors: ['connection_not_found'],
      handle: ({ principal, params }) => tokens.revoke(principal.userId, params.family_id),
    }),
  ];
}
