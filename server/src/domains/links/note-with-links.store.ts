import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { sql } from 'kysely';
import { statementsOver } from '../../ports/database/statement.ts';
import { type EntriesTables, ITEM_COLUMNS } from '../entries/entries.tables.ts';
import type { NotesTables } from '../notes/notes.tables.ts';
import type { StoredNote } from '../notes/notes.ts';
import type { LinksTables } from './links.tables.ts';

const { statement } = statementsOver<LinksTables & NotesTables & EntriesTables>();

/** The note, with its content and the texts of its links. */
export interface NotePart extends StoredNote {
  readonly ord: null;
  readonly texts_version: number | null;
  readonly texts: Buffer | null;
}

/** One of its edges, with the columns needed for the path of the target. */
export interface EdgePart {
  readonly ord: number;
  readonly age: number;
  readonly target_note_id: string | null;
  readonly target_attachment_id: string | null;
  readonly target_revision: number | null;
  readonly target_meta: Buffer | null;
}

const EDGE_COLUMNS = ['links.ord', 'links.age', 'links.target_note_id', 'links.target_attachment_id'] as const;

/** Stand for the columns of the other part: a union needs them. */
const [, ...NOTE_ONLY] = [...ITEM_COLUMNS, 'content', 'texts_version', 'texts'];
const noNote = NOTE_ONLY.map((name) => sql<null>`null`.as(name.replace('entries.', '')));
const noEdge = ['ord', 'age', 'target_note_id', 'target_attachment_id', 'target_revision', 'target_meta'].map((name) =>
  sql<null>`null`.as(name),
);

/** A note with its links, all still sealed, in one statement: the note first, then its edges in any order. */
function findNote(column: 'path_key' | 'id') {
  return statement((db, p: { vault: VaultId; key: Buffer | string }) =>
    db
      .selectFrom('entries')
      .innerJoin('note_bodies', (join) =>
        join.onRef('note_bodies.vault_id', '=', 'entries.vault_id').onRef('note_bodies.note_id', '=', 'entries.id'),
      )
      .leftJoin('link_texts', (join) =>
        join.onRef('link_texts.vault_id', '=', 'entries.vault_id').onRef('link_texts.source_id', '=', 'entries.id'),
      )
      .select([...ITEM_COLUMNS, 'note_bodies.content', 'link_texts.version as texts_version', 'link_texts.texts'])
      .select(noEdge)
      .where('entries.vault_id', '=', p.vault)
      .where(sql.ref(`entries.${column}`), '=', p.key)
      .where('entries.deleted_at', 'is', null)
      .$castTo<NotePart | EdgePart>()
      .unionAll((eb) =>
        eb
          .selectFrom('entries as source')
          .innerJoin('links', (join) =>
            join.onRef('links.vault_id', '=', 'source.vault_id').onRef('links.source_id', '=', 'source.id'),
          )
          .leftJoin('entries as target', (join) =>
            join.onRef('target.vault_id', '=', 'links.vault_id').onRef('target.id', '=', 'links.target_note_id'),
          )
          .select('source.id')
          .select(noNote)
          .select([...EDGE_COLUMNS, 'target.revision as target_revision', 'target.meta as target_meta'])
          .where('source.vault_id', '=', p.vault)
          .where(sql.ref(`source.${column}`), '=', p.key)
          .where('source.deleted_at', 'is', null)
          .$castTo<NotePart | EdgePart>(),
      ),
  );
}

export const findNoteByPath = findNote('path_key');
export const findNoteById = findNote('id');
