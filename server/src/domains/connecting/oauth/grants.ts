import { parseUuid, type UserId } from '@notevault/protocol/values/ids.ts';
import { Type } from 'typebox';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import { hashOf } from '../../foundation/tokens/tokens.ts';
import type { ConnectionKey } from '../credentials/credentials.ts';
import * as store from './oauth.store.ts';
import type { OAuthDeps } from './oauth.ts';

/** Identifies the grant of a user to an OAuth client: the connection with the same id. */
export type GrantKey = ConnectionKey;

const textOrNull = Type.Union([Type.String(), Type.Null()]);
const clientDetails = new SealedJson(
  1,
  Type.Object({
    clientId: Type.String(),
    slug: textOrNull,
    logo: textOrNull,
    softwareId: textOrNull,
    softwareVersion: textOrNull,
    verified: Type.Boolean(),
    redirectUri: Type.String(),
    /** The addresses to which the client allowed codes to be sent. */
    redirectUris: Type.Array(Type.String()),
    cimdUrl: textOrNull,
  }),
);
/** The details of a client that people see, as of the time they authorized it. */
export type ClientDetails = ReturnType<typeof clientDetails.decode>;

/** The id by which the provider knows a grant. */
export function nameOfGrant({ userId, id }: GrantKey): string {
  return `${userId}.${id}`;
}

/** Parses the id of a grant. Throws when it is not one, because the provider stores only ids that it was given. */
export function grantOfName(name: string | undefined): GrantKey {
  const [userId, id] = (name ?? '').split('.').map(parseUuid);
  if (userId == null || id == null) throw new Error('a token without grant');
  return { userId: userId as UserId, id };
}

const REFRESH_PREFIX = 'nv_oar_';
const FAMILY_BYTES = 16;

/** Derives the part that all refresh tokens of a grant share, so that no token is stored in clear. */
export function familyOf(server: SealingKey, grant: GrantKey): string {
  const mac = server.mac('oauth_grants.family', nameOfGrant(grant));
  return REFRESH_PREFIX + mac.subarray(0, FAMILY_BYTES).toString('base64url');
}

/** The hash of the family that a token names; null when it is not a refresh token. */
export function familyHashOf(token: string): Buffer | null {
  const [family = ''] = token.split('.', 1);
  return family.startsWith(REFRESH_PREFIX) ? hashOf(family) : null;
}

const contextOf = ({ userId, id }: GrantKey) => ({ kind: 'oauth_grants.details', row: `${userId}.${id}`, version: 0 });

export function sealDetails(server: SealingKey, grant: GrantKey, details: ClientDetails): Buffer {
  return clientDetails.seal(server, contextOf(grant), details);
}

export function openDetails(server: SealingKey, grant: GrantKey, sealed: Buffer): ClientDetails {
  return clientDetails.open(server, contextOf(grant), sealed);
}

/** Deletes the tokens of a grant, and keeps only that its connection existed. False when it had ended before. */
export async function endGrant(handle: WriteHandle, { credentials }: Pick<OAuthDeps, 'credentials'>, grant: GrantKey) {
  if (!(await credentials.end(handle, 'oauth', grant))) return false;
  await handle.run(store.deleteTokensOf, { user_id: grant.userId, grant_id: grant.id });
  await handle.run(store.clearGrant, grant);
  return true;
}
