import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { sql } from 'kysely';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { EntriesTables } from '../entries/entries.tables.ts';
import type { NotesTables } from '../notes/notes.tables.ts';
import type { ReadNote } from '../notes/notes.ts';
import type { LinksTables } from './links.tables.ts';

const { statement } = statementsOver<LinksTables & NotesTables & EntriesTables>();

/** The note, with its content and the texts of its links. */
export interface NotePart extends ReadNote {
  readonly ord: null;
  readonly texts_version: number | null;
  readonly texts: Buffer | null;
}

/** One of its edges, with the columns needed for the path of the target. */
export interface EdgePart {
  readonly ord: number;
  /**
   * The id of the target note, to which revision and meta belong too; null if the target is an attachment or missing.
   */
  readonly id: string | null;
  readonly revision: number | null;
  readonly meta: Buffer | null;
  readonly attachment_id: string | null;
}

/** The text of a small note, at most. */
const SMALL_BYTES = 64 * 1024;

/** Stand for the columns that only a note has: a union needs them. */
const noNote = ['seq', 'version', 'mtime', 'created_at', 'updated_at', 'content', 'texts_version', 'texts'].map(
  (name) => sql<null>`null`.as(name),
);
const noEdge = [sql<null>`null`.as('attachment_id'), sql<null>`null`.as('ord')];

/**
 * A note with its links, all still sealed, in one statement: the note first, then its edges in any order. Each column
 * costs, in every row, so both kinds of rows use the same ones where they can.
 *
 * @param bytesMax finds only a note with at most this many bytes of text; null for any note, which lets the database
 * find the edges without reading the row.
 */
function findNote(column: 'path_key' | 'id', bytesMax: number | null) {
  return statement((db, p: { vault: VaultId; key: Buffer | string }) =>
    db
      .selectFrom('entries')
      .innerJoin('note_bodies', (join) =>
        join.onRef('note_bodies.vault_id', '=', 'entries.vault_id').onRef('note_bodies.note_id', '=', 'entries.id'),
      )
      .leftJoin('link_texts', (join) =>
        join.onRef('link_texts.vault_id', '=', 'entries.vault_id').onRef('link_texts.source_id', '=', 'entries.id'),
      )
      .select(['entries.id', 'entries.revision', 'entries.meta'])
      .select(noEdge)
      .select(['entries.seq', 'entries.version', 'entries.mtime', 'entries.created_at', 'entries.updated_at'])
      .select(['note_bodies.content', 'link_texts.version as texts_version', 'link_texts.texts'])
      .where('entries.vault_id', '=', p.vault)
      .where(sql.ref(`entries.${column}`), '=', p.key)
      .where('entries.deleted_at', 'is', null)
      .$if(bytesMax !== null, (query) => query.where('entries.size_bytes', '<=', bytesMax))
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
          .select(['links.target_note_id as id', 'target.revision', 'target.meta'])
          .select(['links.target_attachment_id as attachment_id', 'links.ord'])
          .select(noNote)
          .where('source.vault_id', '=', p.vault)
          .where(sql.ref(`source.${column}`), '=', p.key)
          .where('source.deleted_at', 'is', null)
          .$if(bytesMax !== null, (query) => query.where('source.size_bytes', '<=', bytesMax))
          .$castTo<NotePart | EdgePart>(),
      ),
  );
}

export const findNoteByPath = findNote('path_key', null);
export const findNoteById = findNote('id', null);
export const findSmallNoteByPath = findNote('path_key', SMALL_BYTES);
export const findSmallNoteById = findNote('id', SMALL_BYTES);
