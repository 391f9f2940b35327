import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../../ports/database/statement.ts';
import type { EntriesTables } from '../../entries/entries.tables.ts';
import type { NotesTables, NoteVersionRow } from '../notes.tables.ts';

const { statement, listStatement } = statementsOver<NotesTables & EntriesTables>();

export const listVersions = statement((db, p: { vault: VaultId; id: NoteId; before: number; limit: number }) =>
  db
    .selectFrom('note_versions')
    .select(['version', 'created_at', 'size_bytes', 'meta'])
    .where('vault_id', '=', p.vault)
    .where('note_id', '=', p.id)
    .where('version', '<', p.before)
    .orderBy('version', 'desc')
    .limit(p.limit),
);

/** The newest stored versions of live notes, without their texts: at most `count` of each. */
export const findNewestVersions = listStatement((db, p: { vault: VaultId; count: number }, ids: NoteId[]) =>
  db
    .selectFrom('entries')
    .innerJoin('note_versions', (join) =>
      join.onRef('note_versions.vault_id', '=', 'entries.vault_id').onRef('note_versions.note_id', '=', 'entries.id'),
    )
    .select(['note_versions.note_id', 'note_versions.version', 'note_versions.meta'])
    .where('entries.vault_id', '=', p.vault)
    .where('entries.id', 'in', ids)
    .where('entries.deleted_at', 'is', null)
    .where('note_versions.version', '>', ({ fn, selectFrom, lit }) =>
      fn.coalesce(
        selectFrom('note_versions as older')
          .select('older.version')
          .whereRef('older.vault_id', '=', 'entries.vault_id')
          .whereRef('older.note_id', '=', 'entries.id')
          .orderBy('older.version', 'desc')
          .limit(1)
          .offset(p.count),
        lit(0),
      ),
    )
    .orderBy('note_versions.note_id')
    .orderBy('note_versions.version', 'desc'),
);

// Thinning

export const findDueVersions = statement((db, p: { now: number; limit: number }) =>
  db
    .selectFrom('note_versions')
    .select(['vault_id', 'note_id', 'version', 'created_at', 'pinned'])
    .where('due_at', '<=', p.now)
    .orderBy('due_at')
    .limit(p.limit),
);

type Which = Pick<NoteVersionRow, 'vault_id' | 'note_id' | 'version'>;

/** Whether a later version, stored or current, was made before a time. */
export const findNewerVersion = statement((db, p: Which & { until: number }) =>
  db
    .selectFrom('note_versions')
    .select(['version'])
    .where('vault_id', '=', p.vault_id)
    .where('note_id', '=', p.note_id)
    .where('version', '>', p.version)
    .where('created_at', '<', p.until)
    .unionAll((eb) =>
      eb
        .selectFrom('entries')
        .select((entry) => entry.ref('version').$notNull().as('version'))
        .where('vault_id', '=', p.vault_id)
        .where('id', '=', p.note_id)
        .where('deleted_at', 'is', null)
        .where('updated_at', '<', p.until),
    )
    .limit(1),
);

export const postponeVersion = statement((db, p: Which & { dueAt: number }) =>
  db
    .updateTable('note_versions')
    .set({ due_at: p.dueAt })
    .where('vault_id', '=', p.vault_id)
    .where('note_id', '=', p.note_id)
    .where('version', '=', p.version),
);
