import type { NoteId, VaultId } from '@notevault/protocol/ids.ts';
import { sql } from 'kysely';
import { statementsOver } from '../../ports/database/statement.ts';
import type { NamespaceTables } from '../namespace/namespace.tables.ts';
import type { NoteRow, NotesTables } from './notes.tables.ts';

const { statement, listStatement } = statementsOver<NotesTables & NamespaceTables>();

/** What a note's row is read for. */
export const row = [
  'notes.id',
  'notes.seq',
  'notes.revision',
  'notes.version',
  'notes.folder_id',
  'notes.path_key',
  'notes.size_bytes',
  'notes.mtime',
  'notes.created_at',
  'notes.updated_at',
  'notes.deleted_at',
  'notes.meta',
] as const;

/** Stands for the row of a note that is gone: a union needs its columns. */
const nothingOfRow = [
  sql<number>`0`.as('seq'),
  sql<number>`0`.as('revision'),
  sql<number>`0`.as('version'),
  sql<string | null>`null`.as('folder_id'),
  sql<Buffer>`null`.as('path_key'),
  sql<number>`0`.as('size_bytes'),
  sql<number>`0`.as('mtime'),
  sql<number>`0`.as('created_at'),
  sql<number>`0`.as('updated_at'),
  sql<number | null>`null`.as('deleted_at'),
  sql<Buffer>`null`.as('meta'),
] as const;

/** The live note at a path, with its content. */
export const findByPath = statement((db, p: { vault: VaultId; pathKey: Buffer }) =>
  db
    .selectFrom('paths')
    .innerJoin('notes', (join) =>
      join.onRef('notes.vault_id', '=', 'paths.vault_id').onRef('notes.id', '=', 'paths.item_id'),
    )
    .innerJoin('note_bodies', (join) =>
      join.onRef('note_bodies.vault_id', '=', 'notes.vault_id').onRef('note_bodies.note_id', '=', 'notes.id'),
    )
    .select([...row, 'note_bodies.content'])
    .where('paths.vault_id', '=', p.vault)
    .where('paths.path_key', '=', p.pathKey)
    .where('paths.kind', '=', 'note'),
);

/** As findByPath, without the content. */
export const findRowByPath = statement((db, p: { vault: VaultId; pathKey: Buffer }) =>
  db
    .selectFrom('paths')
    .innerJoin('notes', (join) =>
      join.onRef('notes.vault_id', '=', 'paths.vault_id').onRef('notes.id', '=', 'paths.item_id'),
    )
    .select(row)
    .where('paths.vault_id', '=', p.vault)
    .where('paths.path_key', '=', p.pathKey)
    .where('paths.kind', '=', 'note'),
);

/** How a row that `findForWrite` returns was found. */
type FoundAs = 'here' | 'recent' | 'highest' | 'id' | 'spent';

const foundAs = (found: FoundAs) => sql<FoundAs>`${sql.lit(found)}`.as('found');
const withoutBody = [
  sql<Buffer | null>`null`.as('content'),
  sql<Buffer | null>`null`.as('doc'),
  sql<Buffer | null>`null`.as('fingerprints'),
] as const;

/**
 * What a write to a path meets, in one statement: the live note there (`here`, with content and document), tombstones
 * left there since a moment (`recent`) and the one with the highest version (`highest`), the note that has an id, in
 * whichever vault (`id`), and whether a note that is gone had it (`spent`, of which only the id is filled in): ids are
 * never given twice.
 */
export const findForWrite = statement((db, p: { vault: VaultId; pathKey: Buffer; since: number; id: string }) =>
  db
    .selectFrom('paths')
    .innerJoin('notes', (join) =>
      join.onRef('notes.vault_id', '=', 'paths.vault_id').onRef('notes.id', '=', 'paths.item_id'),
    )
    .innerJoin('note_bodies', (join) =>
      join.onRef('note_bodies.vault_id', '=', 'notes.vault_id').onRef('note_bodies.note_id', '=', 'notes.id'),
    )
    .select([foundAs('here'), 'notes.vault_id', ...row])
    .select([sql<Buffer | null>`note_bodies.content`.as('content'), 'note_bodies.doc', 'note_bodies.fingerprints'])
    .where('paths.vault_id', '=', p.vault)
    .where('paths.path_key', '=', p.pathKey)
    .where('paths.kind', '=', 'note')
    .unionAll((eb) =>
      eb
        .selectFrom('notes')
        .select([foundAs('recent'), 'notes.vault_id', ...row, ...withoutBody])
        .where('vault_id', '=', p.vault)
        .where('path_key', '=', p.pathKey)
        .where('deleted_at', 'is not', null)
        .where('deleted_at', '>=', p.since),
    )
    .unionAll((eb) =>
      eb
        .selectFrom('notes')
        .select([foundAs('highest'), 'notes.vault_id', ...row, ...withoutBody])
        .where('vault_id', '=', p.vault)
        .where('id', '=', (inner) =>
          inner
            .selectFrom('notes as tombstone')
            .select('tombstone.id')
            .where('tombstone.vault_id', '=', p.vault)
            .where('tombstone.path_key', '=', p.pathKey)
            .where('tombstone.deleted_at', 'is not', null)
            .orderBy('tombstone.version', 'desc')
            .limit(1),
        ),
    )
    .unionAll((eb) =>
      eb
        .selectFrom('notes')
        .select([foundAs('id'), 'notes.vault_id', ...row, ...withoutBody])
        .where('id', '=', p.id),
    )
    .unionAll((eb) =>
      eb
        .selectFrom('spent_note_ids')
        .select([foundAs('spent'), 'vault_id', 'id', ...nothingOfRow, ...withoutBody])
        .where('id', '=', p.id),
    ),
);

/** A tombstone by id, with content and document. */
export const findForRevival = statement((db, p: { vault: VaultId; id: NoteId }) =>
  db
    .selectFrom('notes')
    .innerJoin('note_bodies', (join) =>
      join.onRef('note_bodies.vault_id', '=', 'notes.vault_id').onRef('note_bodies.note_id', '=', 'notes.id'),
    )
    .select([...row, 'note_bodies.content', 'note_bodies.doc', 'note_bodies.fingerprints'])
    .where('notes.vault_id', '=', p.vault)
    .where('notes.id', '=', p.id)
    .where('notes.deleted_at', 'is not', null),
);

/** A live note by id, with content and document. */
export const findForEdit = statement((db, p: { vault: VaultId; id: NoteId }) =>
  db
    .selectFrom('notes')
    .innerJoin('note_bodies', (join) =>
      join.onRef('note_bodies.vault_id', '=', 'notes.vault_id').onRef('note_bodies.note_id', '=', 'notes.id'),
    )
    .select([...row, 'note_bodies.content', 'note_bodies.doc'])
    .where('notes.vault_id', '=', p.vault)
    .where('notes.id', '=', p.id)
    .where('notes.deleted_at', 'is', null),
);

/** A note by id, tombstones too, with its content. */
export const findById = statement((db, p: { vault: VaultId; id: NoteId }) =>
  db
    .selectFrom('notes')
    .innerJoin('note_bodies', (join) =>
      join.onRef('note_bodies.vault_id', '=', 'notes.vault_id').onRef('note_bodies.note_id', '=', 'notes.id'),
    )
    .select([...row, 'note_bodies.content'])
    .where('notes.vault_id', '=', p.vault)
    .where('notes.id', '=', p.id),
);

/** Live notes by id, without content. */
export const findRows = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .selectFrom('notes')
    .select(row)
    .where('vault_id', '=', p.vault)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null),
);

/** Live notes directly inside some folders, without content. */
export const findRowsIn = listStatement((db, p: { vault: VaultId }, folders: string[]) =>
  db
    .selectFrom('notes')
    .select(row)
    .where('vault_id', '=', p.vault)
    .where('folder_id', 'in', folders)
    .where('deleted_at', 'is', null),
);

export const findRowsAtRoot = statement((db, p: { vault: VaultId }) =>
  db
    .selectFrom('notes')
    .select(row)
    .where('vault_id', '=', p.vault)
    .where('folder_id', 'is', null)
    .where('deleted_at', 'is', null),
);

export const findBodies = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .selectFrom('note_bodies')
    .select(['note_id', 'content', 'doc'])
    .where('vault_id', '=', p.vault)
    .where('note_id', 'in', ids),
);

type NewNote = Omit<NoteRow, 'deleted_at'>;

export type OverwrittenNote = Omit<NewNote, 'vault_id'>;

/** Live notes that exist, written over as they are given. */
export const overwriteNotes = listStatement((db, p: { vault: VaultId }, rows: OverwrittenNote[]) =>
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
        updated_at: note.updated_at,
        deleted_at: null,
        meta: note.meta,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['vault_id', 'id']).doUpdateSet((eb) => ({
        seq: eb.ref('excluded.seq'),
        revision: eb.ref('excluded.revision'),
        version: eb.ref('excluded.version'),
        folder_id: eb.ref('excluded.folder_id'),
        path_key: eb.ref('excluded.path_key'),
        name_key: eb.ref('excluded.name_key'),
        size_bytes: eb.ref('excluded.size_bytes'),
        mtime: eb.ref('excluded.mtime'),
        updated_at: eb.ref('excluded.updated_at'),
        meta: eb.ref('excluded.meta'),
      })),
    ),
);

type Body = { readonly id: string; readonly content: Buffer; readonly doc: Buffer | null };

/** Bodies that exist, written over as they are given. */
export const overwriteBodies = listStatement((db, p: { vault: VaultId }, bodies: Body[]) =>
  db
    .insertInto('note_bodies')
    .values(bodies.map((body) => ({ vault_id: p.vault, note_id: body.id, content: body.content, doc: body.doc })))
    .onConflict((conflict) =>
      conflict.columns(['vault_id', 'note_id']).doUpdateSet((eb) => ({
        content: eb.ref('excluded.content'),
        doc: eb.ref('excluded.doc'),
      })),
    ),
);

/** The columns of a new note's row. */
const NEW_NOTE = [
  'vault_id',
  'id',
  'seq',
  'revision',
  'version',
  'folder_id',
  'path_key',
  'name_key',
  'size_bytes',
  'mtime',
  'created_at',
  'updated_at',
  'meta',
] as const;

/**
 * Inserts a new note. Changes no row when the id is taken or spent, or when a tombstone at the path has a higher version
 * than `tombstoneVersion`: what the row was made from has changed.
 */
export const insertNote = statement((db, p: NewNote & { tombstoneVersion: number }) =>
  db
    .insertInto('notes')
    .columns(NEW_NOTE)
    .expression(
      db
        .selectNoFrom(({ val }) => NEW_NOTE.map((column) => val(p[column]).as(column)))
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('spent_note_ids').select('id').where('id', '=', p.id))),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('notes')
                .select('id')
                .where('vault_id', '=', p.vault_id)
                .where('path_key', '=', p.path_key)
                .where('deleted_at', 'is not', null)
                .where('version', '>', p.tombstoneVersion),
            ),
          ),
        ),
    )
    .onConflict((conflict) => conflict.doNothing()),
);

type NewBody = Body & { readonly vault: VaultId; readonly fingerprints: Buffer | null };

export const insertBody = statement((db, p: NewBody) =>
  db
    .insertInto('note_bodies')
    .values({ vault_id: p.vault, note_id: p.id, content: p.content, doc: p.doc, fingerprints: p.fingerprints }),
);

/** Writes over the row if it still has the revision it was read with; also revives a tombstone. */
export const updateNote = statement((db, p: Omit<NewNote, 'created_at'> & { was: number }) =>
  db
    .updateTable('notes')
    .set({
      seq: p.seq,
      revision: p.revision,
      version: p.version,
      folder_id: p.folder_id,
      path_key: p.path_key,
      name_key: p.name_key,
      size_bytes: p.size_bytes,
      mtime: p.mtime,
      updated_at: p.updated_at,
      deleted_at: null,
      meta: p.meta,
    })
    .where('vault_id', '=', p.vault_id)
    .where('id', '=', p.id)
    .where('revision', '=', p.was),
);

export const updateBody = statement((db, p: { vault: VaultId; id: string; content: Buffer; doc: Buffer | null }) =>
  db
    .updateTable('note_bodies')
    .set({ content: p.content, doc: p.doc })
    .where('vault_id', '=', p.vault)
    .where('note_id', '=', p.id),
);

/** As updateBody, with other fingerprints; changes no row when they are not those that were read. */
export const updateBodyWithFingerprints = statement((db, p: NewBody & { was: Buffer | null }) =>
  db
    .updateTable('note_bodies')
    .set({ content: p.content, doc: p.doc, fingerprints: p.fingerprints })
    .where('vault_id', '=', p.vault)
    .where('note_id', '=', p.id)
    .where('fingerprints', 'is not distinct from', p.was),
);

/** Writes the fingerprints alone; changes no row when they are not those that were read. */
export const updateFingerprints = statement(
  (db, p: { vault: VaultId; id: string; fingerprints: Buffer; was: Buffer | null }) =>
    db
      .updateTable('note_bodies')
      .set({ fingerprints: p.fingerprints })
      .where('vault_id', '=', p.vault)
      .where('note_id', '=', p.id)
      .where('fingerprints', 'is not distinct from', p.was),
);

/** Whether the row still has the revision it was read with. */
export const findRevision = statement((db, p: { vault: VaultId; id: NoteId }) =>
  db.selectFrom('notes').select(['revision']).where('vault_id', '=', p.vault).where('id', '=', p.id),
);

interface NewVersion {
  readonly id: NoteId;
  readonly version: number;
  readonly createdAt: number;
  readonly size: number;
  readonly pinned: number;
  readonly dueAt: number;
  readonly meta: Buffer;
  readonly content: Buffer;
  readonly snapshot: Buffer;
}

const versionRow = (vault: VaultId, version: NewVersion) => ({
  vault_id: vault,
  note_id: version.id,
  version: version.version,
  created_at: version.createdAt,
  size_bytes: version.size,
  pinned: version.pinned,
  due_at: version.dueAt,
  meta: version.meta,
  content: version.content,
  snapshot: version.snapshot,
});

export const insertVersion = statement((db, p: NewVersion & { vault: VaultId }) =>
  db.insertInto('note_versions').values(versionRow(p.vault, p)),
);

export const insertVersions = listStatement((db, p: { vault: VaultId }, versions: NewVersion[]) =>
  db.insertInto('note_versions').values(versions.map((version) => versionRow(p.vault, version))),
);

export const findVersion = statement((db, p: { vault: VaultId; id: NoteId; version: number }) =>
  db
    .selectFrom('note_versions')
    .select(['content', 'snapshot'])
    .where('vault_id', '=', p.vault)
    .where('note_id', '=', p.id)
    .where('version', '=', p.version),
);

export const deleteAliases = statement((db, p: { vault: VaultId; id: NoteId }) =>
  db.deleteFrom('note_aliases').where('vault_id', '=', p.vault).where('note_id', '=', p.id),
);

export const insertAliases = listStatement((db, p: { vault: VaultId; id: string }, keys: Buffer[]) =>
  db.insertInto('note_aliases').values(keys.map((key) => ({ vault_id: p.vault, alias_key: key, note_id: p.id }))),
);

/** Kept versions of a purged vault, some of them, with their sizes. */
export const findSomeVersions = statement((db, p: { vault: VaultId; limit: number }) =>
  db
    .selectFrom('note_versions')
    .select(['note_id', 'version', 'size_bytes'])
    .where('vault_id', '=', p.vault)
    .limit(p.limit),
);

export const purgeVersion = statement((db, p: { vault: VaultId; id: string; version: number }) =>
  db
    .deleteFrom('note_versions')
    .where('vault_id', '=', p.vault)
    .where('note_id', '=', p.id)
    .where('version', '=', p.version),
);

/** Notes of a purged vault, some of them, with their sizes. */
export const findSomeNotes = statement((db, p: { vault: VaultId; limit: number }) =>
  db.selectFrom('notes').select(['id', 'size_bytes']).where('vault_id', '=', p.vault).limit(p.limit),
);

/** What hangs on a note goes with it, by the foreign keys' cascade. */
export const purgeNotes = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db.deleteFrom('notes').where('vault_id', '=', p.vault).where('id', 'in', ids),
);

/** A note's row with its content, both still sealed. */
export interface StoredNote extends StoredRow {
  readonly content: Buffer;
}

/** A note's row, still sealed. */
export interface StoredRow {
  readonly id: string;
  readonly seq: number;
  readonly revision: number;
  readonly version: number;
  readonly folder_id: string | null;
  readonly path_key: Buffer;
  readonly size_bytes: number;
  readonly mtime: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly deleted_at: number | null;
  readonly meta: Buffer;
}
