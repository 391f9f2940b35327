import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../../ports/database/statement.ts';
import type { EntriesTables } from '../../entries/entries.tables.ts';
import type { NotesTables } from '../notes.tables.ts';

const { statement, listStatement, table } = statementsOver<NotesTables & EntriesTables>();
const updates = table('note_updates');

export const findVaultOf = statement((db, p: { id: NoteId }) =>
  db
    .selectFrom('entries')
    .select('vault_id')
    .where('id', '=', p.id)
    .where('kind', '=', 'note')
    .where('deleted_at', 'is', null),
);

/** The edits of a note in the log, oldest first. */
export const findUpdates = statement((db, p: { vault: VaultId; id: NoteId }) =>
  db
    .selectFrom('note_updates')
    .select(['id', 'payload'])
    .where('vault_id', '=', p.vault)
    .where('note_id', '=', p.id)
    .orderBy('id'),
);

export const insertUpdates = updates.insertMany([], ['vault_id', 'note_id', 'id', 'payload']);

export const deleteUpdates = updates.deleteMany(['vault_id', 'note_id'], 'id');

/** The notes of a vault with edits in the log. */
export const findWaitingIn = statement((db, p: { vault: VaultId }) =>
  db.selectFrom('note_updates').select('note_id').distinct().where('vault_id', '=', p.vault),
);

/** The edits of all vaults between two ids, which stand for two moments. */
export const findWaitingBetween = statement((db, p: { after: string; before: string; limit: number }) =>
  db
    .selectFrom('note_updates')
    .select(['vault_id', 'note_id', 'id'])
    .where('id', '>', p.after)
    .where('id', '<', p.before)
    .orderBy('id')
    .limit(p.limit),
);

/** Selects the revision of each note and the number of its logged edits, which show whether it has changed. */
export const findStates = listStatement((db, _p: object, ids: string[]) =>
  db
    .selectFrom('entries')
    .select((eb) => [
      'id',
      'revision',
      eb
        .selectFrom('note_updates')
        .select((count) => count.fn.countAll<number>().as('waiting'))
        .whereRef('note_updates.vault_id', '=', 'entries.vault_id')
        .whereRef('note_updates.note_id', '=', 'entries.id')
        .as('waiting'),
    ])
    .where('id', 'in', ids),
);

/** Deletes logged edits of a note that has left the trash: nothing is left to fold them into. */
export const deleteUpdatesOfEnded = statement((db, p: { vault: VaultId; note: NoteId }) =>
  db
    .deleteFrom('note_updates')
    .where('vault_id', '=', p.vault)
    .where('note_id', '=', p.note)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('entries')
          .select('id')
          .where('vault_id', '=', p.vault)
          .where('id', '=', p.note)
          .where('deleted_at', 'is not', null)
          .where('trashed', 'is distinct from', 1),
      ),
    ),
);

/** Updates a tombstone in the trash that still has the revision with which it was read. */
export const updateTombstone = statement(
  (
    db,
    p: {
      vault: VaultId;
      id: NoteId;
      seq: number;
      revision: number;
      version: number;
      size: number;
      meta: Buffer;
      was: number;
    },
  ) =>
    db
      .updateTable('entries')
      .set({ seq: p.seq, revision: p.revision, version: p.version, size_bytes: p.size, meta: p.meta })
      .where('vault_id', '=', p.vault)
      .where('id', '=', p.id)
      .where('revision', '=', p.was)
      .where('deleted_at', 'is not', null)
      .where('trashed', '=', 1),
);
