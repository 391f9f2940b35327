import { Type } from 'typebox';
import type { SealingKey } from '../../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../../ports/keyring/sealed-json.ts';

/** A person at a provider, who is named by issuer and subject alone. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The address that the provider names, which proves nothing by itself. */
  readonly email: string | null;
}

const stored = new SealedJson(
  1,
  Type.Object({ issuer: Type.String(), subject: Type.String(), email: Type.Union([Type.String(), Type.Null()]) }),
);
const contextOf = (id: string) => ({ kind: 'oidc_identities.details', row: id, version: 0 });

export function sealIdentity(server: SealingKey, id: string, { issuer, subject, email }: OidcIdentity): Buffer {
  return stored.seal(server, contextOf(id), { issuer, subject, email });
}

export function openIdentity(server: SealingKey, id: string, sealed: Buffer): OidcIdentity {
  return stored.open(server, contextOf(id), sealed);
}

export function identityMacOf(
  server: SealingKey,
  { issuer, subject }: Pick<OidcIdentity, 'issuer' | 'subject'>,
): Buffer {
  return server.mac('oidc identity', JSON.stringify([issuer, subject]));
}
