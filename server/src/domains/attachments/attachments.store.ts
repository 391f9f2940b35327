import type { VaultId } from '@notevault/protocol/ids.ts';
import { sql } from 'kysely';
import { statementsOver } from '../../ports/database/statement.ts';
import type { NamespaceTables } from '../namespace/namespace.tables.ts';
import type { AttachmentRow, AttachmentsTables } from './attachments.tables.ts';

const { statement, listStatement } = statementsOver<AttachmentsTables & NamespaceTables>();

const row = [
  'attachments.id',
  'attachments.seq',
  'attachments.revision',
  'attachments.folder_id',
  'attachments.path_key',
  'attachments.name_key',
  'attachments.blob_id',
  'attachments.size_bytes',
  'attachments.mtime',
  'attachments.created_at',
  'attachments.updated_at',
  'attachments.deleted_at',
  'attachments.meta',
] as const;

export type StoredAttachment = Omit<AttachmentRow, 'vault_id'>;

/** The live attachments at some paths. */
export const findByPaths = listStatement((db, p: { vault: VaultId }, pathKeys: Buffer[]) =>
  db
    .selectFrom('paths')
    .innerJoin('attachments', (join) =>
      join.onRef('attachments.vault_id', '=', 'paths.vault_id').onRef('attachments.id', '=', 'paths.item_id'),
    )
    .select(row)
    .where('paths.vault_id', '=', p.vault)
    .where('paths.path_key', 'in', pathKeys)
    .where('paths.kind', '=', 'attachment'),
);

/** Live attachments by id. */
export const findRows = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .selectFrom('attachments')
    .select(row)
    .where('vault_id', '=', p.vault)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null),
);

/** Live attachments directly inside some folders. */
export const findRowsIn = listStatement((db, p: { vault: VaultId }, folders: string[]) =>
  db
    .selectFrom('attachments')
    .select(row)
    .where('vault_id', '=', p.vault)
    .where('folder_id', 'in', folders)
    .where('deleted_at', 'is', null),
);

/** Attachments and tombstones written after a seq, in the order of their seqs. */
export const findChangedAfter = statement((db, p: { vault: VaultId; after: number; limit: number }) =>
  db
    .selectFrom('attachments')
    .select(row)
    .where('vault_id', '=', p.vault)
    .where('seq', '>', p.after)
    .orderBy('seq')
    .limit(p.limit),
);

/** Where live attachments stand after a seq, in the order of their seqs. */
export const findLiveSeqs = statement((db, p: { vault: VaultId; after: number; limit: number }) =>
  db
    .selectFrom('attachments')
    .select(['seq'])
    .where('vault_id', '=', p.vault)
    .where('seq', '>', p.after)
    .where('deleted_at', 'is', null)
    .orderBy('seq')
    .limit(p.limit),
);

/** The live attachments at some seqs. */
export const findLiveAt = listStatement((db, p: { vault: VaultId }, seqs: number[]) =>
  db
    .selectFrom('attachments')
    .select(row)
    .where('vault_id', '=', p.vault)
    .where('seq', 'in', seqs)
    .where('deleted_at', 'is', null),
);

/** Live attachments after an id, in the order of their ids. */
export const listRows = statement((db, p: { vault: VaultId; after: string; limit: number }) =>
  db
    .selectFrom('attachments')
    .select(row)
    .where('vault_id', '=', p.vault)
    .where('deleted_at', 'is', null)
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(p.limit),
);

/** Writes rows anew or for the first time; changes fewer than asked when one no longer has the revision before its new one. */
export const putRows = listStatement((db, p: { vault: VaultId }, rows: StoredAttachment[]) =>
  db
    .insertInto('attachments')
    .values(
      rows.map((each) => ({
        vault_id: p.vault,
        id: each.id,
        seq: each.seq,
        revision: each.revision,
        folder_id: each.folder_id,
        path_key: each.path_key,
        name_key: each.name_key,
        blob_id: each.blob_id,
        size_bytes: each.size_bytes,
        mtime: each.mtime,
        created_at: each.created_at,
        updated_at: each.updated_at,
        deleted_at: each.deleted_at,
        meta: each.meta,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['vault_id', 'id'])
        .doUpdateSet((eb) => ({
          seq: eb.ref('excluded.seq'),
          revision: eb.ref('excluded.revision'),
          folder_id: eb.ref('excluded.folder_id'),
          path_key: eb.ref('excluded.path_key'),
          name_key: eb.ref('excluded.name_key'),
          blob_id: eb.ref('excluded.blob_id'),
          size_bytes: eb.ref('excluded.size_bytes'),
          mtime: eb.ref('excluded.mtime'),
          updated_at: eb.ref('excluded.updated_at'),
          deleted_at: eb.ref('excluded.deleted_at'),
          meta: eb.ref('excluded.meta'),
        }))
        .where(sql<boolean>`attachments.revision = excluded.revision - 1 and attachments.deleted_at is null`),
    ),
);

export const purgeAttachments = statement((db, p: { vault: VaultId; limit: number }) =>
  db
    .deleteFrom('attachments')
    .where('vault_id', '=', p.vault)
    .where('id', 'in', (eb) =>
      eb.selectFrom('attachments').select('id').where('vault_id', '=', p.vault).limit(p.limit),
    ),
);
