import { normalizePath, PathError } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';

/** The paths of a batch as sent, normalised, each kept once. Throws `invalid_ids`. */
export function itemPaths(sent: unknown): string[] {
  if (!Array.isArray(sent) || sent.length === 0) throw new NotevaultError('invalid_ids');
  return [...new Set(sent.map(itemPath))];
}

function itemPath(sent: unknown): string {
  if (typeof sent !== 'string') throw new NotevaultError('invalid_ids');
  try {
    return normalizePath(sent);
  } catch (error) {
    if (error instanceof PathError) throw new NotevaultError('invalid_ids', {}, error);
    throw error;
  }
}
