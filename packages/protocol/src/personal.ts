import { type Static, Type } from 'typebox';
import { NoteListed } from './notes.ts';
import { Nullable, Timestamp, Uuid } from './values/schemas.ts';

/** Preferences that a person's clients store, by name. The server does not interpret the values. */
export const Preferences = Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true }));
export type Preferences = Static<typeof Preferences>;

/** At most this many bytes of JSON. */
export const PREFERENCES_BYTES_MAX = 16 * 1024;

export const OpenedNoteBody = Type.Object({ note_id: Uuid });
/** Recently opened notes, newest first, without deleted notes. */
export const OpenedNotes = Type.Object({
  notes: Type.Array(Type.Object({ ...NoteListed.properties, opened_at: Timestamp })),
});
export type OpenedNotes = Static<typeof OpenedNotes>;

export const DailyNoteQuery = Type.Object({
  date: Type.Optional(Type.String({ description: '`YYYY-MM-DD`; today in UTC by default.' })),
});
export const DailyNote = Type.Object({
  path: Type.String({
    description: 'Where the daily note of this day is or belongs, by the folder that the account chose.',
  }),
  note_id: Nullable(Uuid),
});
export type DailyNote = Static<typeof DailyNote>;

/** Maximum number of recently opened notes stored per vault. */
export const OPENED_NOTES_MAX = 200;
