import type { DeviceGrantResponse, DeviceStarted, DeviceTokensResponse } from '@notevault/protocol/devices.ts';
import type { DeviceAuthorizationResponse, DeviceGrant } from './authorization.ts';
import type { DevicePair } from './tokens.ts';

export function startedView(link: DeviceAuthorizationResponse): DeviceStarted {
  return {
    device_code: link.deviceCode,
    user_code: link.userCode,
    expires_in: link.expiresIn,
    interval: link.interval,
    verification_url: link.verificationUrl,
    verification_uri: link.verificationUrl,
    verification_uri_complete: `${link.verificationUrl}?code=${link.userCode}`,
  };
}

/** Maps the first tokens of a device to the wire, with the e-mail of the owner. */
export function grantView(grant: DeviceGrant): DeviceGrantResponse {
  return { ...tokensView(grant), user_email: grant.userEmail };
}

export function tokensView(pair: DevicePair): DeviceTokensResponse {
  return {
    access_token: pair.accessToken,
    refresh_token: pair.refreshToken,
    token_type: 'Bearer',
    expires_in: pair.expiresIn,
    vault_id: pair.vaultId,
  };
}
