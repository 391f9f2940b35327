/** The address that opens the page for joining with an invite. In the fragment, which no server and no log sees. */
export function inviteLink(origin: string, token: string): string {
  return `${origin}/#invite=${encodeURIComponent(token)}`;
}
