import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import { type Kysely, sql } from 'kysely';
import { excluded, picked, statementsOver } from '../../../ports/database/statement.ts';
import type { EntriesTables, EntryRow, ItemKind } from '../entries/entries.tables.ts';
import type { NotesTables } from '../notes/notes.tables.ts';
import type { LinkRow, LinksTables } from './links.tables.ts';

type Tables = LinksTables & NotesTables & EntriesTables;
const { statement, listStatement, table } = statementsOver<Tables>();
const links = table('links');
const texts = table('link_texts');
const canvasNames = table('canvas_names');

const edge = ['source_id', 'ord', 'age', 'target_key', 'other_key', 'target_note_id', 'target_attachment_id'] as const;
export type StoredEdge = Readonly<Pick<LinkRow, (typeof edge)[number]>>;

/** The edges of notes, in order for each, with the columns needed for the path of each target. */
export const findEdgesOf = listStatement((db, p: { vault: VaultId }, sources: string[]) =>
  db
    .selectFrom('links')
    .leftJoin('entries', (join) =>
      join.onRef('entries.vault_id', '=', 'links.vault_id').onRef('entries.id', '=', 'links.target_note_id'),
    )
    .select([
      'links.source_id',
      'links.ord',
      'links.age',
      'links.target_note_id as id',
      'links.target_attachment_id as attachment_id',
      'entries.revision',
      'entries.meta',
    ])
    .where('links.vault_id', '=', p.vault)
    .where('links.source_id', 'in', sources)
    .orderBy('links.source_id')
    .orderBy('links.ord'),
);

export const insertEdgesOf = links.insertMany(['vault_id'], edge);

export const deleteEdgesOf = links.deleteMany(['vault_id'], 'source_id');

export interface SourcedTexts {
  readonly source: string;
  readonly version: number;
  readonly texts: Buffer;
}

export const putTextsOf = listStatement((db, p: { vault: VaultId }, rows: SourcedTexts[]) =>
  db
    .insertInto('link_texts')
    .values(rows.map((row) => ({ vault_id: p.vault, source_id: row.source, version: row.version, texts: row.texts })))
    .onConflict((conflict) => conflict.columns(['vault_id', 'source_id']).doUpdateSet(excluded('version', 'texts'))),
);

export const deleteEdges = statement((db, p: { vault: VaultId; source: NoteId; from: number; until: number }) =>
  db
    .deleteFrom('links')
    .where('vault_id', '=', p.vault)
    .where('source_id', '=', p.source)
    .where('ord', '>=', p.from)
    .where('ord', '<', p.until),
);

export const deleteTextsOf = texts.deleteMany(['vault_id'], 'source_id');

/** Live notes and attachments found under any of some keys, by file name or by alias. */
export const findCandidates = listStatement((db, p: { vault: VaultId }, keys: Buffer[]) =>
  db
    .selectFrom('entries')
    .select(['kind', 'id', 'seq', 'revision', 'meta', 'name_key as key'])
    .where('vault_id', '=', p.vault)
    .where('name_key', 'in', keys)
    .where('deleted_at', 'is', null)
    .unionAll((eb) =>
      eb
        .selectFrom('note_aliases')
        .innerJoin('entries', (join) =>
          join.onRef('entries.vault_id', '=', 'note_aliases.vault_id').onRef('entries.id', '=', 'note_aliases.note_id'),
        )
        .select(['entries.kind', 'entries.id', 'entries.seq', 'entries.revision', 'entries.meta'])
        .select('note_aliases.alias_key as key')
        .where('note_aliases.vault_id', '=', p.vault)
        .where('note_aliases.alias_key', 'in', keys)
        .where('entries.deleted_at', 'is', null),
    )
    .$castTo<{ kind: ItemKind; id: string; seq: number; revision: number; meta: Buffer; key: Buffer }>(),
);

export const edgesIn = (db: Kysely<Tables>, vault: VaultId) =>
  db.selectFrom('links').select(edge).where('vault_id', '=', vault);

/**
 * Edges whose target is looked up under any of some keys, with their sources, up to a limit. An edge appears twice when
 * both its keys match.
 */
export const findEdgesByKey = listStatement((db, p: { vault: VaultId; limit: number }, keys: Buffer[]) =>
  edgesIn(db, p.vault)
    .where('target_key', 'in', keys)
    // Not UNION: to remove duplicates, SQLite would scan every link of the vault in primary key order.
    .unionAll(edgesIn(db, p.vault).where('other_key', 'in', keys))
    .limit(p.limit),
);

/**
 * Notes with links that are looked up under any of some keys, after a given note; ordered when there is one key. Each
 * note costs one index lookup, however many such links it has.
 */
function referringNotes(column: 'target_key' | 'other_key') {
  const key = sql.ref(column);
  return listStatement((db, p: { vault: VaultId; after: string; limit: number }, keys: Buffer[]) => ({
    compile: () =>
      sql<{ source_id: string }>`with recursive referring (name, source_id) as (
        ${sql.join(
          keys.map(
            (name) => sql`select * from (
              select ${key} as name, source_id from links
              where vault_id = ${p.vault} and ${key} = ${name} and source_id > ${p.after}
              order by source_id limit 1
            ) as first_referring`,
          ),
          sql` union all `,
        )}
        union all
        select name, (
          select links.source_id from links
          where links.vault_id = ${p.vault} and links.${key} = referring.name and links.source_id > referring.source_id
          order by links.source_id limit 1
        ) from referring where source_id is not null
      ) select source_id from referring where source_id is not null limit ${p.limit}`.compile(db),
  }));
}

export const findReferringNotes = referringNotes('target_key');
export const findReferringNotesByOtherKey = referringNotes('other_key');

export const findEdgesPage = statement((db, p: { vault: VaultId; source: string; from: number; limit: number }) =>
  edgesIn(db, p.vault).where('source_id', '=', p.source).where('ord', '>=', p.from).orderBy('ord').limit(p.limit),
);

export const findEdgesFrom = listStatement((db, p: { vault: VaultId }, sources: string[]) =>
  edgesIn(db, p.vault).where('source_id', 'in', sources),
);

export const findSources = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .selectFrom('entries')
    .innerJoin('link_texts', (join) =>
      join.onRef('link_texts.vault_id', '=', 'entries.vault_id').onRef('link_texts.source_id', '=', 'entries.id'),
    )
    .select(['entries.id', 'entries.revision', 'entries.meta', 'link_texts.version', 'link_texts.texts'])
    .where('entries.vault_id', '=', p.vault)
    .where('entries.id', 'in', ids),
);

/** Updates some columns of existing links; their age is unchanged. */
function overwriting(...columns: ('target_key' | 'other_key' | 'target_note_id' | 'target_attachment_id')[]) {
  return listStatement((db, p: { vault: VaultId }, edges: StoredEdge[]) =>
    db
      .insertInto('links')
      .values(edges.map((each) => ({ vault_id: p.vault, ...picked(each, edge) })))
      .onConflict((conflict) => conflict.columns(['vault_id', 'source_id', 'ord']).doUpdateSet(excluded(...columns))),
  );
}

export const overwriteEdges = overwriting('target_key', 'other_key', 'target_note_id', 'target_attachment_id');
/** Like overwriteEdges, where the keys are the stored ones: their indexes are left alone. */
export const overwriteTargets = overwriting('target_note_id', 'target_attachment_id');

/** Edges from other notes, and links of the note to itself by name; oldest first. */
export const findBacklinks = statement((db, p: { vault: VaultId; target: NoteId; limit: number }) =>
  db
    .selectFrom('links')
    .innerJoin('entries', (join) =>
      join.onRef('entries.vault_id', '=', 'links.vault_id').onRef('entries.id', '=', 'links.source_id'),
    )
    .select([
      'links.source_id',
      'links.ord',
      'entries.revision',
      'entries.meta',
      'entries.version',
      'entries.size_bytes',
    ])
    .where('links.vault_id', '=', p.vault)
    .where('links.target_note_id', '=', p.target)
    .where('links.target_key', 'is not', null)
    .orderBy('links.age')
    .orderBy('links.source_id')
    .orderBy('links.ord')
    .limit(p.limit),
);

/** Links to other notes or attachments that have no target. */
export const countDangling = statement((db, p: { vault: VaultId }) =>
  db
    .selectFrom('links')
    .select((eb) => eb.fn.countAll<number>().as('links'))
    .where('vault_id', '=', p.vault)
    .where('target_key', 'is not', null)
    .where('target_note_id', 'is', null)
    .where('target_attachment_id', 'is', null),
);

/** A page of the edges from notes to other notes, ordered by source; one note may have several to another. */
export const findGraphEdges = statement((db, p: { vault: VaultId; source: string; ord: number; limit: number }) =>
  db
    .selectFrom('links')
    .select(['source_id', 'ord', 'target_note_id'])
    .where('vault_id', '=', p.vault)
    .where((eb) => eb(eb.refTuple('source_id', 'ord'), '>', eb.tuple(p.source, p.ord)))
    .orderBy('source_id')
    .orderBy('ord')
    .limit(p.limit),
);

/** Like findGraphEdges, with what says whether a link has a target. */
export const findEdgesAfter = statement((db, p: { vault: VaultId; source: string; ord: number; limit: number }) =>
  db
    .selectFrom('links')
    .select(['source_id', 'ord', 'target_key', 'target_note_id', 'target_attachment_id'])
    .where('vault_id', '=', p.vault)
    .where((eb) => eb(eb.refTuple('source_id', 'ord'), '>', eb.tuple(p.source, p.ord)))
    .orderBy('source_id')
    .orderBy('ord')
    .limit(p.limit),
);

const source = ['id', 'revision', 'meta', 'version', 'size_bytes'] as const;
export type SourceNote = Readonly<Pick<EntryRow, (typeof source)[number]>>;
export const findSourceNotes = table('entries').findMany(['vault_id'], 'id', source);

export const findTextsOf = texts.findMany(['vault_id'], 'source_id', ['source_id', 'version', 'texts']);

export const findLiveNote = statement((db, p: { vault: VaultId; id: NoteId }) =>
  db
    .selectFrom('entries')
    .select(['id'])
    .where('vault_id', '=', p.vault)
    .where('id', '=', p.id)
    .where('kind', '=', 'note')
    .where('deleted_at', 'is', null),
);

/** Live notes and their rows in the order of their ids. */
export const findNotesAfter = statement((db, p: { vault: VaultId; after: string; limit: number }) =>
  db
    .selectFrom('entries')
    .select(['id', 'revision', 'meta', 'seq', 'version', 'size_bytes'])
    .where('vault_id', '=', p.vault)
    .where('id', '>', p.after)
    .where('kind', '=', 'note')
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(p.limit)
    .$castTo<NoteToRead>(),
);

export interface NoteToRead extends Readonly<Pick<EntryRow, 'id' | 'revision' | 'meta' | 'size_bytes'>> {
  readonly seq: number;
  readonly version: number;
}

/** Attachments that have bytes, also those in the trash, in the order of their ids. */
export const findFilesAfter = statement((db, p: { vault: VaultId; after: string; limit: number }) =>
  db
    .selectFrom('entries')
    .select(['id', 'revision', 'meta', 'blob_id', 'size_bytes'])
    .where('vault_id', '=', p.vault)
    .where('id', '>', p.after)
    .where('blob_id', 'is not', null)
    .orderBy('id')
    .limit(p.limit),
);

export type FileToRead = Readonly<Pick<EntryRow, 'id' | 'revision' | 'meta' | 'blob_id' | 'size_bytes'>>;

export const findRevisions = table('entries').findMany(['vault_id'], 'id', ['id', 'revision', 'version']);

export const deleteCanvasNames = canvasNames.deleteMany(['vault_id'], 'attachment_id');
export const insertCanvasNames = canvasNames.insertMany(['vault_id'], ['attachment_id', 'name_key']);

export const findCanvasesByName = listStatement((db, p: { vault: VaultId }, names: Buffer[]) =>
  db.selectFrom('canvas_names').select('attachment_id').where('vault_id', '=', p.vault).where('name_key', 'in', names),
);

/** One row if any canvas refers to something. */
export const findSomeCanvas = statement((db, p: { vault: VaultId }) =>
  db.selectFrom('canvas_names').select('attachment_id').where('vault_id', '=', p.vault).limit(1),
);

export const findCanvases = statement((db, p: { vault: VaultId }) =>
  db.selectFrom('canvas_names').select('attachment_id').distinct().where('vault_id', '=', p.vault),
);
