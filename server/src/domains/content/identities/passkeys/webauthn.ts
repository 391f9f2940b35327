import type {
  NewPasskeyBody,
  PasskeyAssertion,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '@notevault/protocol/passkeys.ts';
import { CHALLENGE_MS } from './challenges.ts';
import type { PasskeyRow } from './passkeys.tables.ts';
import type { RelyingParty } from './relying-party.ts';

/** Loaded at first use, because few requests need it. */
const load = () => import('@simplewebauthn/server');

type Bytes = Uint8Array<ArrayBuffer>;
type Authenticator = Pick<PasskeyRow, 'credential_id' | 'transports'>;

const timeout = CHALLENGE_MS;
/** A passkey replaces the password too, so the authenticator must ask for a PIN, a finger or a face. */
const userVerification = 'required';

/**
 * EdDSA, ES256 and RS256, which every authenticator has one of. By default the library prefers ML-DSA, which Node
 * verifies only by an experimental API.
 */
const supportedAlgorithmIDs = [-8, -7, -257];

const encoded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const ownBytes = (bytes: Buffer): Bytes => new Uint8Array(bytes);
const descriptorsOf = (passkeys: readonly Authenticator[]) =>
  passkeys.map(({ credential_id, transports }) => ({
    id: encoded(credential_id),
    transports: transports.split(' ').filter((each) => each !== ''),
  }));

/** Returns the options to make a passkey with. The authenticators of `known` passkeys refuse to make another. */
export async function creationOptions(
  { host }: RelyingParty,
  challenge: Bytes,
  user: { readonly handle: Buffer; readonly email: string; readonly name: string | null },
  known: readonly Authenticator[],
): Promise<PasskeyCreationOptions> {
  const { generateRegistrationOptions } = await load();
  const { excludeCredentials = [], ...options } = await generateRegistrationOptions({
    rpName: 'Notevault',
    rpID: host,
    userID: ownBytes(user.handle),
    userName: user.email,
    userDisplayName: user.name ?? user.email,
    challenge,
    timeout,
    attestationType: 'none',
    supportedAlgorithmIDs,
    excludeCredentials: descriptorsOf(known),
    authenticatorSelection: { residentKey: 'required', userVerification },
  });
  return { ...options, excludeCredentials } as PasskeyCreationOptions;
}

/** Returns the options to use a passkey with: any of the server, which its user chooses, or one of `allowed`. */
export async function requestOptions(
  { host }: RelyingParty,
  challenge: Bytes,
  allowed: readonly Authenticator[] = [],
): Promise<PasskeyRequestOptions> {
  const { generateAuthenticationOptions } = await load();
  const { allowCredentials = [], ...options } = await generateAuthenticationOptions({
    rpID: host,
    challenge,
    timeout,
    userVerification,
    allowCredentials: descriptorsOf(allowed),
  });
  return { ...options, allowCredentials } as PasskeyRequestOptions;
}

type NewPasskey = Pick<PasskeyRow, 'credential_id' | 'public_key' | 'counter' | 'transports' | 'is_synced'>;

/** Returns the passkey that an authenticator made; null if the answer is wrong. */
export async function verifyCreation(
  { host, origin }: RelyingParty,
  { id, rawId, type, response }: NewPasskeyBody,
  isExpected: (challenge: string) => boolean,
): Promise<NewPasskey | null> {
  const { verifyRegistrationResponse } = await load();
  const { clientDataJSON, attestationObject } = response;
  const { registrationInfo: made } = await verifyRegistrationResponse({
    response: { id, rawId, type, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
    expectedChallenge: isExpected,
    expectedOrigin: origin,
    expectedRPID: host,
    supportedAlgorithmIDs,
  }).catch(refused);
  return made === undefined
    ? null
    : {
        credential_id: Buffer.from(made.credential.id, 'base64url'),
        public_key: Buffer.from(made.credential.publicKey),
        counter: made.credential.counter,
        transports: (response.transports ?? []).filter((each) => TRANSPORT.test(each)).join(' '),
        is_synced: Number(made.credentialDeviceType === 'multiDevice'),
      };
}

const TRANSPORT = /^[a-z][a-z-]{0,30}$/;

/** Returns the counter of an authenticator that signed with a passkey; null if the answer is wrong. */
export async function verifyAssertion(
  { host, origin }: RelyingParty,
  { id, rawId, type, response }: PasskeyAssertion,
  passkey: Pick<PasskeyRow, 'public_key'>,
  isExpected: (challenge: string) => boolean,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await load();
  const { clientDataJSON, authenticatorData, signature } = response;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId,
      type,
      response: { clientDataJSON, authenticatorData, signature },
      clientExtensionResults: {},
    },
    expectedChallenge: isExpected,
    expectedOrigin: origin,
    expectedRPID: host,
    // Counters are compared in the transaction that stores them, because two processes may check at once.
    credential: { id, publicKey: ownBytes(passkey.public_key), counter: 0 },
  }).catch(refused);
  return verified ? authenticationInfo.newCounter : null;
}

/** The library reports whatever is wrong with an answer as an error. */
function refused(): { verified: false; registrationInfo?: never; authenticationInfo?: never } {
  return { verified: false };
}
