const SCHEME = 'notevault://';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** No path of a note begins so. */
const BY_ID = 'by-id/';
const LENGTH_MAX = 500;

/** Returns the address of a note or attachment: the vault’s id, and the path with each segment percent-encoded. */
export function noteUri(vault: string, path: string): string {
  return `${SCHEME}${vault}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Returns the address of a note by its path, or by its id if that would be long. */
export function shortNoteUri(vault: string, { id, path }: { readonly id: string; readonly path: string }): string {
  const uri = noteUri(vault, path);
  return uri.length > LENGTH_MAX ? noteUri(vault, BY_ID + id) : uri;
}

/** Returns the id in the path of an address; null if that is the path of a note or attachment. */
export function idInPath(path: string): string | null {
  const id = path.startsWith(BY_ID) ? path.slice(BY_ID.length) : '';
  return UUID.test(id) ? id : null;
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
