/**
 * Returns the address that opens the web app's page for a token: the first account, joining by an invite, a new
 * password, or the confirmation of an e-mail. The token is in the fragment, which no server and no log sees.
 */
export function startLink(publicUrl: string, page: 'setup' | 'invite' | 'reset' | 'confirm', token: string): string {
  return `${publicUrl}/#${page}=${encodeURIComponent(token)}`;
}
