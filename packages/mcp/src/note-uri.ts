const SCHEME = 'notevault://';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the address of a note or attachment: the vault’s id, and the path with each segment percent-encoded. */
export function noteUri(vault: string, path: string): string {
  return `${SCHEME}${vault}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Parses an address; null when it is none. */
export function parseNoteUri(uri: string): { readonly vault: string; readonly path: string } | null {
  if (!uri.toLowerCase().startsWith(SCHEME)) return null;
  const [vault = '', ...segments] = uri.slice(SCHEME.length).split('/');
  if (!UUID.test(vault.toLowerCase())) return null;
  try {
    const path = segments.map(decodeURIComponent).join('/');
    return path === '' ? null : { vault: vault.toLowerCase(), path };
  } catch {
    return null;
  }
}
