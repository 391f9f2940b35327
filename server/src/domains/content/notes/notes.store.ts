import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import { type Kysely, sql } from 'kysely';
import { excluded, picked, statementsOver } from '../../../ports/database/statement.ts';
import { type EntriesTables, ITEM_COLUMNS } from '../entries/entries.tables.ts';
import type { StoredEntry } from '../entries/entries.ts';
import type { NotesTables, NoteVersionRow } from './notes.tables.ts';

const { statement, listStatement, table } = statementsOver<NotesTables & EntriesTables>();
const bodies = table('note_bodies');
const versions = table('note_versions');

/** A note's row, still sealed. */
export interface StoredRow extends StoredEntry {
  readonly version: number;
}

/** A note's row with its content, both still sealed. */
export interface StoredNote extends StoredRow {
  readonly content: Buffer;
}

/** The columns that a read of a note needs, still sealed. */
export type ReadNote = Pick<
  StoredNote,
  'id' | 'seq' | 'revision' | 'version' | 'mtime' | 'created_at' | 'updated_at' | 'meta' | 'content'
>;

/** Stands for the row of an entry that no longer exists: a union needs the columns. */
const emptyRow = [
  sql<'note'>`'note'`.as('kind'),
  sql<number>`0`.as('seq'),
  sql<number>`0`.as('revision'),
  sql<number>`0`.as('version'),
  sql<string | null>`null`.as('parent_id'),
  sql<Buffer>`null`.as('path_key'),
  sql<Buffer>`null`.as('name_key'),
  sql<string | null>`null`.as('blob_id'),
  sql<number>`0`.as('size_bytes'),
  sql<number>`0`.as('mtime'),
  sql<number>`0`.as('created_at'),
  sql<number>`0`.as('updated_at'),
  sql<number | null>`null`.as('deleted_at'),
  sql<Buffer>`null`.as('meta'),
] as const;

/** The notes of a vault, tombstones too, with their content. */
const notesOf = (db: Kysely<NotesTables & EntriesTables>, vault: VaultId) =>
  db
    .selectFrom('entries')
    .innerJoin('note_bodies', (join) =>
      join.onRef('note_bodies.vault_id', '=', 'entries.vault_id').onRef('note_bodies.note_id', '=', 'entries.id'),
    )
    .select([...ITEM_COLUMNS, 'note_bodies.content'])
    .where('entries.vault_id', '=', vault);

export const findByPath = statement((db, p: { vault: VaultId; pathKey: Buffer }) =>
  notesOf(db, p.vault)
    .where('entries.path_key', '=', p.pathKey)
    .where('entries.deleted_at', 'is', null)
    .$castTo<StoredNote>(),
);

/** The reason for which `findForWrites` found a row. */
type FoundAs = 'here' | 'recent' | 'highest' | 'id' | 'spent';

const foundAs = (found: FoundAs) => sql<FoundAs>`${sql.lit(found)}`.as('found');
const withoutBody = [
  sql<Buffer | null>`null`.as('content'),
  sql<Buffer | null>`null`.as('doc'),
  sql<Buffer | null>`null`.as('fingerprints'),
] as const;

/** A row of findForWrites, with its body if it was read. */
export interface FoundRow extends StoredRow {
  readonly found: FoundAs;
  readonly vault_id: string;
  readonly content: Buffer | null;
  readonly doc: Buffer | null;
  readonly fingerprints: Buffer | null;
}

/**
 * Selects what writes to paths need, in one statement: the live notes there (`here`, with content and document),
 * tombstones of notes left there since a time (`recent`) and those with the highest version of their path (`highest`),
 * the entries that have the ids, of any kind and vault (`id`), and which of the ids a dropped entry had (`spent`, with
 * only the id filled in): ids are never reused.
 */
export const findForWrites = listStatement(
  (db, p: { vault: VaultId; since: number; latest: number }, items: { pathKey: Buffer; id: string }[]) => {
    const pathKeys = items.map(({ pathKey }) => pathKey);
    const ids = items.map(({ id }) => id);
    return db
      .selectFrom('entries')
      .innerJoin('note_bodies', (join) =>
        join.onRef('note_bodies.vault_id', '=', 'entries.vault_id').onRef('note_bodies.note_id', '=', 'entries.id'),
      )
      .select([foundAs('here'), 'entries.vault_id', ...ITEM_COLUMNS])
      .select([sql<Buffer | null>`note_bodies.content`.as('content'), 'note_bodies.doc', 'note_bodies.fingerprints'])
      .where('entries.vault_id', '=', p.vault)
      .where('entries.path_key', 'in', pathKeys)
      .where('entries.deleted_at', 'is', null)
      .unionAll((eb) =>
        eb
          .selectFrom('entries')
          .select([foundAs('recent'), 'entries.vault_id', ...ITEM_COLUMNS, ...withoutBody])
          .where('vault_id', '=', p.vault)
          .where('path_key', 'in', pathKeys)
          .where('version', 'is not', null)
          .where('deleted_at', 'is not', null)
          .where('deleted_at', '>=', p.since)
          .where('deleted_at', '<=', p.latest),
      )
      .unionAll((eb) =>
        eb
          .selectFrom('entries')
          .select([foundAs('highest'), 'entries.vault_id', ...ITEM_COLUMNS, ...withoutBody])
          .where('vault_id', '=', p.vault)
          .where('path_key', 'in', pathKeys)
          .where('version', 'is not', null)
          .where('deleted_at', 'is not', null)
          .where('version', '=', (inner) =>
            inner
              .selectFrom('entries as tombstone')
              .select('tombstone.version')
              .where('tombstone.vault_id', '=', p.vault)
              .whereRef('tombstone.path_key', '=', 'entries.path_key')
              .where('tombstone.version', 'is not', null)
              .where('tombstone.deleted_at', 'is not', null)
              .orderBy('tombstone.version', 'desc')
              .limit(1),
          ),
      )
      .unionAll((eb) =>
        eb
          .selectFrom('entries')
          .select([foundAs('id'), 'entries.vault_id', ...ITEM_COLUMNS, ...withoutBody])
          .where('id', 'in', ids),
      )
      .unionAll((eb) =>
        eb
          .selectFrom('spent_ids')
          .select([foundAs('spent'), 'vault_id', 'id', ...emptyRow, ...withoutBody])
          .where('id', 'in', ids),
      )
      .$castTo<FoundRow>();
  },
);

export const findForRevival = statement((db, p: { vault: VaultId; id: NoteId }) =>
  notesOf(db, p.vault)
    .select(['note_bodies.doc', 'note_bodies.fingerprints'])
    .where('entries.id', '=', p.id)
    .where('entries.deleted_at', 'is not', null)
    .$castTo<StoredNote & { doc: Buffer | null; fingerprints: Buffer | null }>(),
);

/** Tombstones too. */
export const findById = statement((db, p: { vault: VaultId; id: NoteId }) =>
  notesOf(db, p.vault).where('entries.id', '=', p.id).$castTo<StoredNote>(),
);

/** Tombstones too. */
export const findNoteState = statement((db, p: { vault: VaultId; id: NoteId }) =>
  notesOf(db, p.vault)
    .select(['note_bodies.doc'])
    .where('entries.id', '=', p.id)
    .$castTo<StoredNote & { doc: Buffer | null }>(),
);

export const findBodies = bodies.findMany(['vault_id'], 'note_id', ['note_id', 'content', 'doc']);

type Body = { readonly id: string; readonly content: Buffer; readonly doc: Buffer | null };

export const findContents = bodies.findMany(['vault_id'], 'note_id', ['note_id', 'content']);

export const overwriteBodies = listStatement((db, p: { vault: VaultId }, bodies: Body[]) =>
  db
    .insertInto('note_bodies')
    .values(bodies.map((body) => ({ vault_id: p.vault, note_id: body.id, content: body.content, doc: body.doc })))
    .onConflict((conflict) => conflict.columns(['vault_id', 'note_id']).doUpdateSet(excluded('content', 'doc'))),
);

type NewBody = Body & { readonly vault: VaultId; readonly fingerprints: Buffer | null };

/** Changes no row if the note was not written with this seq. */
export const insertBody = statement((db, p: NewBody & { seq: number }) =>
  db
    .insertInto('note_bodies')
    .columns(['vault_id', 'note_id', 'content', 'doc', 'fingerprints'])
    .expression((eb) =>
      eb
        .selectFrom('entries')
        .select(({ val }) => [
          'vault_id',
          'id',
          val(p.content).as('content'),
          val(p.doc).as('doc'),
          val(p.fingerprints).as('fingerprints'),
        ])
        .where('vault_id', '=', p.vault)
        .where('id', '=', p.id)
        .where('seq', '=', p.seq),
    ),
);

export const updateBody = statement((db, p: { vault: VaultId; id: string; content: Buffer; doc: Buffer | null }) =>
  db
    .updateTable('note_bodies')
    .set({ content: p.content, doc: p.doc })
    .where('vault_id', '=', p.vault)
    .where('note_id', '=', p.id),
);

/**
 * Like updateBody, with new fingerprints; changes no row if the stored fingerprints have changed since they were read.
 */
export const updateBodyWithFingerprints = statement((db, p: NewBody & { was: Buffer | null }) =>
  db
    .updateTable('note_bodies')
    .set({ content: p.content, doc: p.doc, fingerprints: p.fingerprints })
    .where('vault_id', '=', p.vault)
    .where('note_id', '=', p.id)
    .where('fingerprints', 'is not distinct from', p.was),
);

/** Updates fingerprints; changes no row if they have changed since they were read. */
export const updateFingerprints = statement(
  (db, p: { vault: VaultId; id: string; fingerprints: Buffer; was: Buffer | null }) =>
    db
      .updateTable('note_bodies')
      .set({ fingerprints: p.fingerprints })
      .where('vault_id', '=', p.vault)
      .where('note_id', '=', p.id)
      .where('fingerprints', 'is not distinct from', p.was),
);

const VERSION = ['version', 'created_at', 'size_bytes', 'pinned', 'due_at', 'meta', 'content', 'snapshot'] as const;

export type VersionDraft = Readonly<Pick<NoteVersionRow, (typeof VERSION)[number]>>;
type NewVersion = VersionDraft & { readonly id: NoteId };

const versionRow = (vault: VaultId, version: NewVersion) => ({
  vault_id: vault,
  note_id: version.id,
  ...picked(version, VERSION),
});

export const insertVersion = statement((db, p: NewVersion & { vault: VaultId }) =>
  db.insertInto('note_versions').values(versionRow(p.vault, p)),
);

/** Inserts a version that a write replaces; changes no row if the note was not written with this seq. */
export const insertReplaced = statement((db, p: NewVersion & { vault: VaultId; seq: number }) => {
  const row = versionRow(p.vault, p);
  const columns = Object.keys(row) as (keyof typeof row)[];
  return db
    .insertInto('note_versions')
    .columns(columns)
    .expression((eb) =>
      eb
        .selectFrom('entries')
        .select(({ val }) => columns.map((column) => val(row[column]).as(column)))
        .where('entries.vault_id', '=', p.vault)
        .where('entries.id', '=', p.id)
        .where('entries.seq', '=', p.seq),
    );
});

export const insertVersions = listStatement((db, p: { vault: VaultId }, versions: NewVersion[]) =>
  db.insertInto('note_versions').values(versions.map((version) => versionRow(p.vault, version))),
);

export const findVersion = versions.find(
  ['vault_id', 'note_id', 'version'],
  ['created_at', 'meta', 'content', 'snapshot'],
);

export const insertAliases = listStatement((db, p: { vault: VaultId; id: string }, keys: Buffer[]) =>
  db.insertInto('note_aliases').values(keys.map((key) => ({ vault_id: p.vault, alias_key: key, note_id: p.id }))),
);

/** A slice of a purged vault's stored versions, with their sizes. */
export const findSomeVersions = statement((db, p: { vault: VaultId; limit: number }) =>
  db
    .selectFrom('note_versions')
    .select(['note_id', 'version', 'size_bytes'])
    .where('vault_id', '=', p.vault)
    .limit(p.limit),
);

export const deleteVersion = versions.delete('vault_id', 'note_id', 'version');
