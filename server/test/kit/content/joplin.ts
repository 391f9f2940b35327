/* The items of an export of Joplin, with the fields that Joplin 3 writes. */

export interface JoplinItemInput {
  readonly id: string;
  readonly title?: string;
  readonly body?: string;
  readonly [field: string]: string | undefined;
}

const TIMES = { created_time: '2020-01-02T03:04:05.678Z', updated_time: '2021-02-03T04:05:06.789Z' };
const USER_TIMES = { user_created_time: TIMES.created_time, user_updated_time: TIMES.updated_time };
const ENCRYPTION = { encryption_cipher_text: '', encryption_applied: '0' };
const TIMES_AND_ENCRYPTION = { ...TIMES, ...USER_TIMES, ...ENCRYPTION };
const FIELDS = {
  note: {
    type_: '1',
    parent_id: '',
    ...TIMES,
    ...{ is_conflict: '0', latitude: '0.00000000', longitude: '0.00000000', altitude: '0.0000', author: '' },
    ...{ source_url: '', is_todo: '0', todo_due: '0', todo_completed: '0', source: 'joplin-desktop' },
    ...{ source_application: 'net.cozic.joplin-desktop', application_data: '', order: '0' },
    ...USER_TIMES,
    ...ENCRYPTION,
    ...{ markup_language: '1', is_shared: '0', share_id: '', conflict_original_id: '', user_data: '' },
  },
  notebook: { type_: '2', parent_id: '', ...TIMES_AND_ENCRYPTION, is_shared: '0', icon: '' },
  resource: { type_: '4', mime: '', filename: '', ...TIMES_AND_ENCRYPTION, file_extension: '', size: '1' },
  tag: { type_: '5', parent_id: '', ...TIMES_AND_ENCRYPTION },
  noteTag: { type_: '6', note_id: '', tag_id: '', ...TIMES_AND_ENCRYPTION },
} as const;

/** The file of an item, as an export has it in its root. */
export function joplinItem(kind: keyof typeof FIELDS, { id, title, body, ...fields }: JoplinItemInput) {
  const { type_, ...common } = FIELDS[kind];
  const lines = Object.entries({ id, ...common, ...fields, type_ }).map(([key, value]) => `${key}: ${value}`);
  const parts = [kind === 'noteTag' ? undefined : (title ?? ''), body || undefined, lines.join('\n')];
  return { name: `${id}.md`, data: parts.filter((part) => part !== undefined).join('\n\n') };
}

/** An id as Joplin makes them, of one repeated digit. */
export const joplinId = (digit: string) => digit.repeat(32);
