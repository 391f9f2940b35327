import { prefixes } from '../tokens/tokens.ts';
import { type ApiKeys, createApiKeys } from './api-keys.ts';
import { type Authentication, createAuthentication } from './authentication.ts';
import { createDevices, type Devices } from './device.ts';
import { createListing, type Listing } from './listing.ts';
import { createOAuth, type OAuth } from './oauth.ts';
import type { ConnectionParts } from './parts.ts';
import { createUses, type Uses } from './uses.ts';

export type { DeviceAsked } from './device-page.ts';
export type { Asked, Visit } from './oauth-consent.ts';

/** Who may act for an account without its password, and how far each of them reaches. */
export interface Connections extends Authentication, ApiKeys, Listing {
  readonly devices: Devices;
  readonly oauth: OAuth;
  /** Writes down which connections were used since the last time. */
  flushUses: Uses['flush'];
}

export function createConnections(parts: ConnectionParts): Connections {
  const uses = createUses(parts);
  const devices = createDevices({ ...parts, uses });
  const oauth = createOAuth({ ...parts, uses });
  const lookups = { [prefixes.device]: devices.lookup, [prefixes.oauth]: oauth.lookup };
  return {
    ...{ devices, oauth },
    ...createAuthentication(parts, uses, lookups),
    ...createApiKeys(parts, uses),
    ...createListing(parts, uses, [devices.describe, oauth.describe]),
    flushUses: uses.flush,
  };
}
