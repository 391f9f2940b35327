import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../../ports/database/statement.ts';
import type { EntriesTables } from '../../entries/entries.tables.ts';
import type { NotesTables } from '../notes.tables.ts';

const { statement, listStatement, table } = statementsOver<NotesTables & EntriesTables>();

export const findBodiesWithRevision = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .selectFrom('entries')
    .innerJoin('note_bodies', (join) =>
      join.onRef('note_bodies.vault_id', '=', 'entries.vault_id').onRef('note_bodies.note_id', '=', 'entries.id'),
    )
    .select(['entries.id', 'entries.revision', 'note_bodies.content', 'note_bodies.doc'])
    .where('entries.vault_id', '=', p.vault)
    .where('entries.id', 'in', ids)
    .where('entries.deleted_at', 'is', null),
);

export const deleteAliasesOf = table('note_aliases').deleteMany(['vault_id'], 'note_id');

/** The texts and documents of notes that can no longer be revived. */
export const deleteBodiesOf = table('note_bodies').deleteMany(['vault_id'], 'note_id');

/** The edits of such notes that wait to be folded in. */
export const deleteUpdatesOf = table('note_updates').deleteMany(['vault_id'], 'note_id');

export const findHighestVersion = statement((db, p: { vault: VaultId; pathKey: Buffer }) =>
  db
    .selectFrom('entries')
    .select('version')
    .where('vault_id', '=', p.vault)
    .where('path_key', '=', p.pathKey)
    .where('version', 'is not', null)
    .where('deleted_at', 'is not', null)
    .orderBy('version', 'desc')
    .limit(1)
    .$castTo<{ version: number }>(),
);

export const findVersionsOf = statement((db, p: { vault: VaultId; id: string; limit: number }) =>
  db
    .selectFrom('note_versions')
    .select(['note_id', 'version', 'size_bytes'])
    .where('vault_id', '=', p.vault)
    .where('note_id', '=', p.id)
    .limit(p.limit),
);
