import { type Static, Type } from 'typebox';
import { NoteListed } from './notes.ts';
import { Timestamp, Uuid } from './values/schemas.ts';

/** What the clients of a person remember for them, by name. The server does not read the values. */
export const Preferences = Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true }));
export type Preferences = Static<typeof Preferences>;

/** At most this many bytes of JSON. */
export const PREFERENCES_BYTES_MAX = 16 * 1024;

export const OpenedNoteBody = Type.Object({ note_id: Uuid });
/** What was opened last first, without notes that were deleted. */
export const OpenedNotes = Type.Object({
  notes: Type.Array(Type.Object({ ...NoteListed.properties, opened_at: Timestamp })),
});
export type OpenedNotes = Static<typeof OpenedNotes>;

/** So many notes of a vault are remembered as opened. */
export const OPENED_NOTES_MAX = 200;
