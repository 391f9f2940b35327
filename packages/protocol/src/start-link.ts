/**
 * Returns the address that opens the web app's page for a token: the first account, joining by an invite, a new
 * password, the confirmation of an e-mail, or a passkey for a page without scripts. The token is in the fragment, which
 * no server and no log sees.
 */
export function startLink(
  publicUrl: string,
  page: 'setup' | 'invite' | 'reset' | 'confirm' | 'passkey',
  token: string,
): string {
  return `${publicUrl}/#${page}=${encodeURIComponent(token)}`;
}
