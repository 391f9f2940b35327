import type { DeviceStarted, DeviceTokensResponse } from '@notevault/protocol/devices.ts';
import type { DeviceAuthorizationResponse, DeviceGrant } from './device-authorization.ts';
import type { DevicePair } from './device-tokens.ts';

type Headers = Readonly<Record<string, string>>;

/** No cache on the way may keep a token (RFC 6749, section 5.1). */
const headers: Headers = { 'cache-control': 'no-store' };

/** The answer to a device that asks to be let in. */
export function startedReply(started: DeviceAuthorizationResponse): { body: DeviceStarted; headers: Headers } {
  const { userCode, verificationUrl } = started;
  const body = {
    device_code: started.deviceCode,
    user_code: userCode,
    verification_url: verificationUrl,
    verification_uri: verificationUrl,
    verification_uri_complete: `${verificationUrl}?code=${userCode}`,
    expires_in: started.expiresIn,
    interval: started.interval,
  };
  return { body, headers };
}

/** The answer with a device's tokens; the first one says whose account it is. */
export function pairReply(pair: DevicePair | DeviceGrant) {
  const { accessToken, refreshToken, expiresIn, vaultId } = pair;
  const tokens = { access_token: accessToken, refresh_token: refreshToken, token_type: 'Bearer' };
  const email = 'userEmail' in pair ? { user_email: pair.userEmail } : {};
  const body: DeviceTokensResponse = { ...tokens, expires_in: expiresIn, vault_id: vaultId };
  return { body: { ...body, ...email }, headers };
}
