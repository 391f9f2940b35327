/** The part of an authorization request that the person who signs in must come back with. */
export interface Handshake {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE verifier. The request contains its hash. */
  readonly verifier: string;
}

/** How the provider is to make sure of the person: as it likes, by a fresh proof, or by a new sign-in. */
export type Assurance = 'any' | 'fresh' | 'login';

/** A person, as a provider describes them after a sign-in. */
export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** Whether the provider says that it has verified the address. */
  readonly isEmailVerified: boolean;
  readonly name: string | null;
  /** Seconds between the proof of identity and the answer, by the provider's clock; null if it does not say. */
  readonly proofAge: number | null;
  /** All claims, among which the operator may have chosen one. */
  readonly all: Readonly<Record<string, unknown>>;
}

/**
 * - `unreachable`: no usable answer to the request for its metadata, keys, tokens or claims.
 * - `client`: it does not accept our id, secret or redirect address.
 * - `code`: the code is expired, used, or of another client.
 * - `refused`: it, or the person there, refused the request.
 * - `invalid`: an answer is not what it must be: signature, issuer, audience, nonce, subject, or times.
 */
export type ProviderFault = 'unreachable' | 'client' | 'code' | 'refused' | 'invalid';

/** A sign-in failed at the provider. The detail is a code of a library or of the protocol, without data of a person. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly fault: ProviderFault;
  readonly detail: string | null;
  constructor(fault: ProviderFault, detail: string | null = null, cause?: unknown) {
    super(`the identity provider: ${fault}`, cause === undefined ? undefined : { cause });
    this.fault = fault;
    this.detail = detail;
  }
}

/** The OpenID Connect provider that the operator has chosen. */
export interface IdentityProvider {
  /** Returns the address to which a browser goes to sign in. Throws ProviderError. */
  authorizationUrl(handshake: Handshake, assurance: Assurance): Promise<string>;
  /** Exchanges the code of an answer for claims. Throws ProviderError. */
  claims(answer: URLSearchParams, handshake: Handshake): Promise<Claims>;
  /** Reads the metadata anew. Throws ProviderError. */
  check(): Promise<void>;
}
