import { type Static, Type } from 'typebox';
import { Nullable, REQUIRED, sentId, Unchecked, Uuid } from './values/schemas.ts';

export const DeviceBody = Unchecked<{ client_id?: unknown; vault_name?: unknown; device_name?: unknown }>({
  client_id: Nullable(Type.String({ description: 'Name of the client.' })),
  vault_name: Nullable(Type.String({ description: 'Suggested name for a new vault.' })),
  device_name: Nullable(Type.String({ description: 'Suggested name for the device.' })),
});

export const DeviceStarted = Type.Object({
  device_code: Type.String(),
  user_code: Type.String({ description: '`XXXX-XXXX`; case, hyphen and spaces are ignored.' }),
  verification_url: Type.String(),
  verification_uri: Type.String(),
  verification_uri_complete: Type.String(),
  expires_in: Type.Integer(),
  interval: Type.Integer({ description: 'Minimum number of seconds between two polls.' }),
});
export type DeviceStarted = Static<typeof DeviceStarted>;

export const DecisionBody = Unchecked<{
  user_code?: unknown;
  vault_id?: unknown;
  vault_name?: unknown;
  deny?: unknown;
}>({
  user_code: Type.String(REQUIRED),
  vault_id: Type.String({ description: 'Id of the vault to link the device to, or `new`.' }),
  vault_name: Nullable(
    Type.String({ description: 'Name of the new vault. If absent, the name that the device suggested.' }),
  ),
  deny: Type.Boolean({ description: 'true refuses the device; `vault_id` is then not needed.' }),
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
export type DeviceTokensResponse = Static<typeof DeviceTokensResponse>;
export const DeviceGrantResponse = Type.Object({ ...TokenFields, user_email: Type.String() });
export type DeviceGrantResponse = Static<typeof DeviceGrantResponse>;

export const FamilyParams = Type.Object({ family_id: sentId('The device’s `client_id`.') });
