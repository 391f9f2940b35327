import { nameFault } from '@notevault/note-text/file-names.ts';
import { normalizePath, PathError } from '@notevault/note-text/paths.ts';
import { reason } from './reasons.ts';

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
  if (hidden && !isAllowedHidden(path)) return reason('hiddenName');
  for (const name of path.split('/')) {
    const unportable = nameFault(name);
    if (unportable?.kind === 'character') return reason('forbiddenCharacter', { character: unportable.character });
    if (unportable !== null) return reason(unportable.kind === 'end' ? 'dotAtEnd' : 'deviceName');
  }
  return null;
}

/** Returns why a path is not one below a folder at all; null when it is. */
export function structureFault(path: string): string | null {
  if (path.includes('\\')) return reason('backslash');
  try {
    if (normalizePath(path) === path) return null;
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    return error.reason;
  }
  return reason('outside');
}
