import { normalizePath, PathError } from '@notevault/note-text/paths.ts';

/** Names that no Windows file may have, whatever its extension. */
const DEVICES = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(?:\..*)?$/i;
const FORBIDDEN = /[<>:"|?*]/;
/** Code points that HFS+ leaves out of names, so that a name with one of them could become another. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** The names that Windows gives to `.git`, `.notevault` and `.obsidian` for old programs. */
const SHORT_NAMES = /^(?:git|noteva|obsidi)~\d/i;

/**
 * Returns why no file of the folder may have a path that the server names; null when it may. What one common file
 * system cannot hold is refused on all of them, so that a vault looks the same everywhere.
 *
 * @param isAllowedHidden whether a path with hidden names may be written nevertheless.
 */
export function pathFault(path: string, isAllowedHidden: (path: string) => boolean): string | null {
  const fault = structureFault(path);
  if (fault !== null) return fault;
  const hidden = path.split('/').some((name) => name.replace(UNSEEN, '').startsWith('.') || SHORT_NAMES.test(name));
  if (hidden && !isAllowedHidden(path)) return 'has a hidden name, which is not synced';
  for (const name of path.split('/')) {
    const forbidden = FORBIDDEN.exec(name)?.[0];
    if (forbidden !== undefined) return `has a ${forbidden} in its name, which cannot be on Windows`;
    if (/[. ]$/.test(name)) return 'has a name that ends in a dot or space, which cannot be on Windows';
    if (DEVICES.test(name)) return 'has the name of a device, which cannot be on Windows';
  }
  return null;
}

/** Returns why a path is not one below a folder at all; null when it is. */
export function structureFault(path: string): string | null {
  if (path.includes('\\')) return 'has a backslash in its name';
  try {
    if (normalizePath(path) === path) return null;
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    return error.reason;
  }
  return 'is not a path within the folder';
}
