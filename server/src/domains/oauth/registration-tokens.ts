import { timingSafeEqual } from 'node:crypto';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { SealingKey } from '../../ports/keyring/keyring.ts';

const PREFIX = 'nv_orr_';

/**
 * The token with which a client may read its own registration (RFC 7592). It follows from the client's id, so that none
 * has to be stored for the many clients that never use it.
 */
export function registrationToken(server: SealingKey, clientId: string): string {
  return `${PREFIX}${clientId}.${server.mac('oauth_clients.registration', clientId).toString('base64url')}`;
}

/** Finds the token's client by its text. */
export function registrationTokens(server: SealingKey): Adapter {
  const nothing = async () => undefined;
  return {
    async find(token): Promise<AdapterPayload | undefined> {
      const clientId = token.slice(PREFIX.length, token.lastIndexOf('.'));
      const [sent, own] = [Buffer.from(token), Buffer.from(registrationToken(server, clientId))];
      if (sent.length !== own.length || !timingSafeEqual(sent, own)) return undefined;
      return { jti: token, kind: 'RegistrationAccessToken', clientId };
    },
    upsert: nothing,
    findByUserCode: nothing,
    findByUid: nothing,
    consume: nothing,
    destroy: nothing,
    revokeByGrantId: nothing,
  };
}
