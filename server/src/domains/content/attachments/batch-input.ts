import { normalizePath, PathError } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';

/** Returns at most `max` paths, normalized, without duplicates. Throws `invalid_ids`, and `over` beyond `max`. */
export function itemPaths(sent: unknown, max: number, over: 'too_many_items' | 'batch_too_large'): string[] {
  if (!Array.isArray(sent) || sent.length === 0) throw new NotevaultError('invalid_ids');
  if (sent.length > max) throw new NotevaultError(over, { max });
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
