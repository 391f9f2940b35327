import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type NoteId, parseUuid } from '@notevault/protocol/values/ids.ts';

/** Parses a note id of the URL. Throws `invalid_id` (400). */
export function idParam(text: string): NoteId {
  const id = parseUuid(text);
  if (id === null) throw new NotevaultError('invalid_id');
  return id as NoteId;
}

/** Parses the `limit` of a list; anything but a number is the usual one, and numbers are clamped. */
export function limitParam(text: string | undefined, usual: number, max: number): number {
  const limit = /^\d+$/.test(text ?? '') ? Number(text) : usual;
  return Math.min(max, Math.max(1, limit));
}
