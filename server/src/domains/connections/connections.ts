import { prefixes } from '../tokens/tokens.ts';
import { type ApiKeys, createApiKeys } from './api-keys/api-keys.ts';
import { type Authentication, createAuthentication } from './authentication.ts';
import type { ConnectionDeps } from './connections.deps.ts';
import { createDevices, type Devices } from './devices/devices.ts';
import { createLastUsed, type LastUsed } from './last-used.ts';
import { createOAuth, type OAuth } from './oauth/oauth.ts';
import { type ConnectionQueries, createQueries } from './queries.ts';

export type { DeviceConsentRequest } from './devices/device-page.ts';
export type { BrowserRequest, ConsentRequest } from './oauth/oauth-consent.ts';

/** Who may act for an account without its password, and how far each of them reaches. */
export interface Connections extends Authentication, ApiKeys, ConnectionQueries {
  readonly devices: Devices;
  readonly oauth: OAuth;
  /** Writes down which connections were used since the last time. */
  flushLastUsed: LastUsed['flush'];
}

export function createConnections(deps: ConnectionDeps): Connections {
  const lastUsed = createLastUsed(deps);
  const devices = createDevices({ ...deps, lastUsed });
  const oauth = createOAuth({ ...deps, lastUsed });
  const lookups = { [prefixes.device]: devices.lookup, [prefixes.oauth]: oauth.lookup };
  return {
    ...{ devices, oauth },
    ...createAuthentication(deps, lastUsed, lookups),
    ...createApiKeys(deps, lastUsed),
    ...createQueries(deps, lastUsed, [devices.describe, oauth.describe]),
    flushLastUsed: lastUsed.flush,
  };
}
