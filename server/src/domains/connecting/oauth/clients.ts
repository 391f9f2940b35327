import { isVisible } from '@notevault/protocol/values/clean-text.ts';
import { ACCESS_SCOPES } from '../../foundation/access/access.ts';

const LOOPBACKS = ['localhost', '127.0.0.1', '[::1]'];
/**
 * A private-use scheme and a slash (RFC 8252, section 7.1). Without the slash a URI can name a recipient, as with
 * `xmpp:`, `sms:` and `mailto:`, and the code would be sent there.
 */
const PRIVATE_USE = /^[a-z][a-z0-9+.-]*:\//;
/** Schemes refused in redirect URIs: those of the browser, the system and messages. */
const BAD_SCHEMES = [
  ...['javascript:', 'vbscript:', 'data:', 'blob:', 'file:', 'about:', 'ftp:', 'ws:', 'wss:'],
  ...['mailto:', 'xmpp:', 'sms:', 'tel:'],
];
/** `URL.parse` drops line breaks and blanks, so the stored and shown text would differ from the one it judged. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u;
const REDIRECTS_MAX = 20;
const TEXT_MAX = 2_000;

export const SCOPES: readonly string[] = [...ACCESS_SCOPES, 'offline_access'];

/** The metadata of a client before the provider validates it. */
export type ClientMetadata = Record<string, unknown>;

/** Returns the kind of a redirect URI: a site, a program here, or one with a private-use scheme; null if refused. */
export function redirectKind(text: string): 'web' | 'loopback' | 'private' | null {
  if (UNPRINTABLE.test(text)) return null;
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || text.length > TEXT_MAX) return null;
  if (url.protocol === 'https:') return LOOPBACKS.includes(url.hostname) ? null : 'web';
  if (url.protocol === 'http:') return LOOPBACKS.includes(url.hostname) ? 'loopback' : null;
  return PRIVATE_USE.test(url.href) && !BAD_SCHEMES.includes(url.protocol) ? 'private' : null;
}

/** Checks client metadata beyond the provider's rules, and overwrites some fields. Returns the fault, or null. */
export function normalizeClient(metadata: ClientMetadata): string | null {
  const redirects = metadata.redirect_uris;
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > REDIRECTS_MAX) {
    return `redirect_uris must have 1 to ${REDIRECTS_MAX} members`;
  }
  const kinds = redirects.map((uri) => (typeof uri === 'string' ? redirectKind(uri) : null));
  if (kinds.includes(null)) {
    return 'redirect_uris must be https, http on a loopback address, or of a private-use scheme';
  }
  // Programs on the user's machine may use any free port, which the provider allows only to native applications.
  metadata.application_type = kinds.every((kind) => kind === 'web') ? 'web' : 'native';
  if (typeof metadata.scope === 'string') {
    const known = metadata.scope.split(' ').filter((word) => SCOPES.includes(word));
    if (known.length > 0) metadata.scope = known.join(' ');
    else delete metadata.scope;
  }
  // Fields that would make this server fetch other addresses, or that need OpenID Connect.
  for (const name of UNUSED) delete metadata[name];
  const tooLong = ['client_name', 'client_uri', 'logo_uri', 'software_id', 'software_version'].find((name) => {
    const value = metadata[name];
    return value !== undefined && (typeof value !== 'string' || value.length > TEXT_MAX);
  });
  if (tooLong !== undefined) return `${tooLong} must be a text of at most ${TEXT_MAX} characters`;
  const isShown = typeof metadata.client_name !== 'string' || isVisible(metadata.client_name.trim());
  return isShown ? null : 'client_name must not have control or invisible characters';
}

const UNUSED = [
  'sector_identifier_uri',
  'initiate_login_uri',
  'default_max_age',
  'default_acr_values',
  'require_auth_time',
  'backchannel_logout_uri',
  'post_logout_redirect_uris',
];

/**
 * Whether the receiver of the code is known: the redirect is on the host of the client's metadata document, or on the
 * operator's list. The name of a client, and its other redirects, prove nothing.
 */
export function isVerified(clientId: string, redirectUri: string, listed: readonly string[]): boolean {
  if (listed.includes(redirectUri)) return true;
  const [id, redirect] = [URL.parse(clientId), URL.parse(redirectUri)];
  return id?.protocol === 'https:' && redirect?.protocol === 'https:' && id.host === redirect.host;
}

/** Lower-case words joined by hyphens; null when the name has no letters. */
export function slugOf(name: string): string | null {
  // Letters without their accents.
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu);
  return words === null ? null : words.join('-').slice(0, 80);
}

/** An https address, or null. */
export function cleanLink(text: unknown): string | null {
  const url = typeof text === 'string' && text.length <= TEXT_MAX ? URL.parse(text) : null;
  return url?.protocol === 'https:' ? url.href : null;
}
