import { isIP } from 'node:net';

/** The side of WebAuthn for which passkeys are made. */
export interface RelyingParty {
  readonly host: string;
  readonly origin: string;
}

/**
 * Returns the relying party of a public URL. Null where browsers make no passkeys: without https, or without a name;
 * `localhost` is allowed without https.
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { protocol, hostname: host, origin } = new URL(publicUrl);
  const isSecure = protocol === 'https:' || host === 'localhost';
  const isName = isIP(host) === 0 && !host.startsWith('[');
  return isSecure && isName ? { host, origin } : null;
}
