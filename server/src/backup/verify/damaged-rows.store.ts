import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { EntriesTables } from '../../domains/content/entries/entries.tables.ts';
import type { NotesTables } from '../../domains/content/notes/notes.tables.ts';
import type { VaultsTables } from '../../domains/content/vaults/vaults.tables.ts';
import { statementsOver } from '../../ports/database/statement.ts';

const { statement } = statementsOver<VaultsTables & EntriesTables & NotesTables>();

interface After {
  readonly vault: VaultId;
  /** The id of the last row of the page before. */
  readonly after: string;
  readonly limit: number;
}

export const findVaults = statement((db, p: { after: VaultId; limit: number }) =>
  db.selectFrom('vaults').select('id').where('id', '>', p.after).orderBy('id').limit(p.limit),
);

/** Rows of every kind, tombstones too. */
export const findEntries = statement((db, p: After) =>
  db
    .selectFrom('entries')
    .select(['id', 'kind', 'revision', 'meta'])
    .where('vault_id', '=', p.vault)
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(p.limit),
);

export const findBodies = statement((db, p: After) =>
  db
    .selectFrom('note_bodies as b')
    .innerJoin('entries as n', (join) => join.onRef('n.vault_id', '=', 'b.vault_id').onRef('n.id', '=', 'b.note_id'))
    .select((eb) => ['b.note_id as id', eb.ref('n.version').$notNull().as('version'), 'b.content', 'b.doc'])
    .where('b.vault_id', '=', p.vault)
    .where('b.note_id', '>', p.after)
    .orderBy('b.note_id')
    .limit(p.limit),
);

/** Reads a page of versions ordered by note, so that a page can begin in the middle of a note's versions. */
export const findVersions = statement((db, p: After & { version: number }) =>
  db
    .selectFrom('note_versions')
    .select(['note_id as id', 'version', 'meta', 'content', 'snapshot'])
    .where('vault_id', '=', p.vault)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('note_id', 'version'), '>', tuple(p.after, p.version)))
    .orderBy('note_id')
    .orderBy('version')
    .limit(p.limit),
);

/** Edits that are not in their note's row yet. */
export const findUpdates = statement((db, p: After & { update: string }) =>
  db
    .selectFrom('note_updates')
    .select(['note_id as id', 'id as update', 'payload'])
    .where('vault_id', '=', p.vault)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('note_id', 'id'), '>', tuple(p.after, p.update)))
    .orderBy('note_id')
    .orderBy('id')
    .limit(p.limit),
);
