import type { VaultId } from '@notevault/protocol/ids.ts';
import { sql } from 'kysely';
import { statementsOver } from '../../ports/database/statement.ts';
import type { NoteRow, NotesTables } from './notes.tables.ts';

const { listStatement } = statementsOver<NotesTables>();

/** Bodies of live notes, each with the revision of its row at that moment. */
export const findBodiesWithRevision = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .selectFrom('notes')
    .innerJoin('note_bodies', (join) =>
      join.onRef('note_bodies.vault_id', '=', 'notes.vault_id').onRef('note_bodies.note_id', '=', 'notes.id'),
    )
    .select(['notes.id', 'notes.revision', 'note_bodies.content', 'note_bodies.doc'])
    .where('notes.vault_id', '=', p.vault)
    .where('notes.id', 'in', ids)
    .where('notes.deleted_at', 'is', null),
);

/** A note's new row as a tombstone; what a tombstone keeps of its row is here only because an upsert names it all. */
export type Tombstone = Omit<NoteRow, 'vault_id' | 'updated_at' | 'deleted_at'>;

/** Turns live notes into tombstones; changes fewer rows than asked when one no longer has the revision before its new one. */
export const insertTombstones = listStatement((db, p: { vault: VaultId; now: number }, rows: Tombstone[]) =>
  db
    .insertInto('notes')
    .values(
      rows.map((note) => ({
        vault_id: p.vault,
        id: note.id,
        seq: note.seq,
        revision: note.revision,
        version: note.version,
        folder_id: note.folder_id,
        path_key: note.path_key,
        name_key: note.name_key,
        size_bytes: note.size_bytes,
        mtime: note.mtime,
        created_at: note.created_at,
        updated_at: p.now,
        deleted_at: p.now,
        meta: note.meta,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['vault_id', 'id'])
        .doUpdateSet((eb) => ({
          seq: eb.ref('excluded.seq'),
          revision: eb.ref('excluded.revision'),
          deleted_at: eb.ref('excluded.deleted_at'),
          updated_at: eb.ref('excluded.updated_at'),
          meta: eb.ref('excluded.meta'),
        }))
        .where(sql<boolean>`notes.revision = excluded.revision - 1 and notes.deleted_at is null`),
    ),
);

export const deleteAliasesOf = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db.deleteFrom('note_aliases').where('vault_id', '=', p.vault).where('note_id', 'in', ids),
);
