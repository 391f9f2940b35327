import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, Uuid } from './values/schemas.ts';

/** Bytes in base64url, without padding. */
const Bytes = Type.String({ pattern: '^[\\w-]+$' });
const Kind = Type.Literal('public-key');

/** WebAuthn’s `RegistrationResponseJSON`. Unknown fields are ignored. */
export const NewPasskeyBody = Type.Object({
  id: Bytes,
  rawId: Bytes,
  type: Kind,
  response: Type.Object({
    clientDataJSON: Bytes,
    attestationObject: Bytes,
    transports: Type.Optional(Type.Array(Type.String(), { maxItems: 16 })),
  }),
  name: Type.Optional(Type.String({ description: 'How the list of passkeys calls it. “Passkey” by default.' })),
});
export type NewPasskeyBody = Static<typeof NewPasskeyBody>;

/** WebAuthn’s `AuthenticationResponseJSON`. Unknown fields are ignored. */
const AssertionFields = {
  id: Bytes,
  rawId: Bytes,
  type: Kind,
  response: Type.Object({
    clientDataJSON: Bytes,
    authenticatorData: Bytes,
    signature: Bytes,
    userHandle: Type.Optional(Nullable(Type.String())),
  }),
};
export const PasskeyAssertion = Type.Object(AssertionFields);
export type PasskeyAssertion = Static<typeof PasskeyAssertion>;

export const PasskeyLoginBody = Type.Object({
  ...AssertionFields,
  remember: Type.Optional(
    Type.Boolean({
      description: 'False for a session that ends with the browser, or a day after its last use. True by default.',
    }),
  ),
});

/**
 * Matches a page on which people sign in for one decision, below the public URL. Other pages must not be named: a browser
 * is sent to it.
 */
export const SIGN_IN_PAGE = '^/(oauth/interaction/[\\w-]{1,64}|link\\?code=[\\w-]{1,32})$';

export const PasskeyPageBody = Type.Object({
  ...AssertionFields,
  page: Type.String({
    pattern: SIGN_IN_PAGE,
    description:
      'The page, which alone accepts the cookie of the answer, once and for ten minutes: its path below the public URL.',
  }),
});

const Descriptors = Type.Array(
  Type.Object({ type: Type.String(), id: Type.String(), transports: Type.Optional(Type.Array(Type.String())) }),
);

/** WebAuthn’s `PublicKeyCredentialCreationOptionsJSON`. */
export const PasskeyCreationOptions = Type.Object({
  challenge: Type.String(),
  rp: Type.Object({ id: Type.String(), name: Type.String() }),
  user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  pubKeyCredParams: Type.Array(Type.Object({ type: Type.String(), alg: Type.Integer() })),
  timeout: Type.Integer(),
  excludeCredentials: Descriptors,
  authenticatorSelection: Type.Object({
    residentKey: Type.String(),
    requireResidentKey: Type.Boolean(),
    userVerification: Type.String(),
  }),
  attestation: Type.String(),
});
export type PasskeyCreationOptions = Static<typeof PasskeyCreationOptions>;

/** WebAuthn’s `PublicKeyCredentialRequestOptionsJSON`. */
export const PasskeyRequestOptions = Type.Object({
  challenge: Type.String(),
  rpId: Type.String(),
  timeout: Type.Integer(),
  userVerification: Type.String(),
  allowCredentials: Descriptors,
});
export type PasskeyRequestOptions = Static<typeof PasskeyRequestOptions>;

export const Passkey = Type.Object({
  id: Uuid,
  name: Type.String(),
  host: Type.String({ description: 'Host of the server when it was made; browsers offer it only there.' }),
  synced: Type.Boolean({ description: 'Whether a password manager may copy it to other devices.' }),
  transports: Type.Array(Type.String()),
  created_at: Timestamp,
  last_used_at: Nullable({ ...Timestamp, description: 'When it signed in or proved an identity last.' }),
  copied_at: Nullable({
    ...Timestamp,
    description: 'When a use was refused because its counter had gone back: somebody may have copied it.',
  }),
});
export type Passkey = Static<typeof Passkey>;
export const PasskeyResponse = Type.Object({ passkey: Passkey });
export type PasskeyResponse = Static<typeof PasskeyResponse>;
export const PasskeysResponse = Type.Object({ passkeys: Type.Array(Passkey) });
export type PasskeysResponse = Static<typeof PasskeysResponse>;
export const RenamePasskeyBody = Type.Object({ name: Type.String() });
