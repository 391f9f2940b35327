import { Nullable, Unchecked, Uuid } from '@notevault/protocol/schemas.ts';
import { Type } from 'typebox';
import type {
  DeviceAuthorizationRequest,
  DeviceAuthorizationResponse,
  DeviceDecision,
  DeviceGrant,
} from './device-authorization.ts';
import type { DevicePair } from './device-tokens.ts';

export const DeviceBody = Unchecked<DeviceAuthorizationRequest>({
  client_id: Nullable(Type.String({ description: 'What the client calls itself.' })),
  vault_name: Nullable(Type.String({ description: 'Name to suggest for a new vault.' })),
  device_name: Nullable(Type.String({ description: 'Name to suggest for the device.' })),
});

export const DeviceStarted = Type.Object({
  device_code: Type.String(),
  user_code: Type.String({ description: '`XXXX-XXXX`; read without case, hyphen and spaces.' }),
  verification_url: Type.String(),
  verification_uri: Type.String(),
  verification_uri_complete: Type.String(),
  expires_in: Type.Integer(),
  interval: Type.Integer({ description: 'Least seconds between two polls.' }),
});

export const DecisionBody = Unchecked<DeviceDecision>({
  user_code: Type.String(),
  vault_id: Type.String({ description: 'Id of the vault the device gets, or `new`.' }),
  vault_name: Nullable(Type.String({ description: 'Name of the new vault; absent: as the device suggested.' })),
  deny: Type.Boolean({ description: 'true refuses the device; no vault is needed then.' }),
});
export const Decided = Type.Object({ ok: Type.Boolean(), vault_id: Nullable(Uuid) });

export const PollBody = Type.Object({ device_code: Type.String() });
export const RefreshBody = Type.Object({ refresh_token: Type.String() });

const TokenFields = {
  access_token: Type.String(),
  refresh_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer(),
  vault_id: Nullable(Uuid),
};
export const DeviceTokensResponse = Type.Object(TokenFields);
export const DeviceGrantResponse = Type.Object({ ...TokenFields, user_email: Type.String() });

export const FamilyParams = Type.Object({ family_id: Type.String({ description: 'The device’s `client_id`.' }) });

/** No cache on the way may keep a token (RFC 6749, section 5.1). */
const headers = { 'cache-control': 'no-store' };

export function startedReply({
  deviceCode,
  userCode,
  verificationUrl,
  expiresIn,
  interval,
}: DeviceAuthorizationResponse) {
  const body = {
    ...{ device_code: deviceCode, user_code: userCode, expires_in: expiresIn, interval },
    ...{ verification_url: verificationUrl, verification_uri: verificationUrl },
    verification_uri_complete: `${verificationUrl}?code=${userCode}`,
  };
  return { body, headers };
}

export function pairReply(pair: DevicePair | DeviceGrant) {
  const { accessToken, refreshToken, expiresIn, vaultId } = pair;
  const tokens = { access_token: accessToken, refresh_token: refreshToken, token_type: 'Bearer' };
  const email = 'userEmail' in pair ? { user_email: pair.userEmail } : {};
  return { body: { ...tokens, expires_in: expiresIn, vault_id: vaultId, ...email }, headers };
}
