import { NotevaultError } from '../errors.ts';
import { parseUuid } from './ids.ts';

const ITEMS_MAX = 1000;

/**
 * Validates the ids of a batch: 1 to 1,000 UUIDs; duplicates are dropped. Throws `missing_ids`, `invalid_ids` or
 * `too_many_items`.
 */
export function itemIds(sent: unknown): string[] {
  if (sent === undefined || sent === null) throw new NotevaultError('missing_ids');
  if (!Array.isArray(sent) || sent.length === 0) throw new NotevaultError('invalid_ids');
  if (sent.length > ITEMS_MAX) throw new NotevaultError('too_many_items', { max: ITEMS_MAX });
  const ids = sent.map(parseUuid);
  if (!ids.every((id) => id !== null)) throw new NotevaultError('invalid_ids');
  return [...new Set(ids)];
}
