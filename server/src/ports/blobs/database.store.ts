import type { BlobId, VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../database/statement.ts';
import type { BlobKey } from './blobs.ts';
import type { BlobTables } from './database.tables.ts';

const { statement, listStatement } = statementsOver<BlobTables>();

export const insertBlob = statement((db, p: BlobKey & { chunks: number; now: number; storedAt: number | null }) =>
  db.insertInto('blobs').values({
    vault_id: p.vaultId,
    blob_id: p.blobId,
    chunks: p.chunks,
    touched_at: p.now,
    stored_at: p.storedAt,
  }),
);

/** Changes no row when the put was abandoned meanwhile: then nothing may be added, because nothing would remove it. */
export const touchBlob = statement((db, p: BlobKey & { chunks: number; now: number; storedAt: number | null }) =>
  db
    .updateTable('blobs')
    .set({ chunks: p.chunks, touched_at: p.now, stored_at: p.storedAt })
    .where('vault_id', '=', p.vaultId)
    .where('blob_id', '=', p.blobId)
    .where('stored_at', 'is', null)
    .where('touched_at', '>', 0),
);

export const insertChunks = listStatement((db, p: BlobKey, chunks: { n: number; bytes: Uint8Array }[]) =>
  db.insertInto('blob_chunks').values(
    chunks.map((chunk) => ({
      vault_id: p.vaultId,
      blob_id: p.blobId,
      n: chunk.n,
      bytes: chunk.bytes as Buffer,
    })),
  ),
);

export const findStored = statement((db, p: BlobKey) =>
  db
    .selectFrom('blobs')
    .select(['chunks'])
    .where('vault_id', '=', p.vaultId)
    .where('blob_id', '=', p.blobId)
    .where('stored_at', 'is not', null),
);

/** A part of a chunk: `count` bytes, starting at byte `from`, counted from 1. */
export const readChunk = statement((db, p: BlobKey & { n: number; from: number; count: number }) =>
  db
    .selectFrom('blob_chunks')
    .select((eb) => {
      const [from, count] = [eb.cast(eb.val(p.from), 'integer'), eb.cast(eb.val(p.count), 'integer')];
      return eb.fn<Buffer>('substr', ['bytes', from, count]).as('bytes');
    })
    .where('vault_id', '=', p.vaultId)
    .where('blob_id', '=', p.blobId)
    .where('n', '=', p.n),
);

export const findNextVault = statement((db, p: { after: string }) =>
  db
    .selectFrom('blobs')
    .select(['vault_id'])
    .where('vault_id', '>', p.after as VaultId)
    .orderBy('vault_id')
    .limit(1),
);

export const listStored = statement((db, p: { vaultId: VaultId; after: BlobId; limit: number }) =>
  db
    .selectFrom('blobs')
    .select(['blob_id', 'stored_at'])
    .where('vault_id', '=', p.vaultId)
    .where('blob_id', '>', p.after)
    .where('stored_at', 'is not', null)
    .orderBy('blob_id')
    .limit(p.limit),
);

/** Makes these blobs invisible and their puts fail. */
export const markAbandoned = listStatement((db, p: { vaultId: VaultId }, ids: BlobId[]) =>
  db
    .updateTable('blobs')
    .set({ stored_at: null, touched_at: 0 })
    .where('vault_id', '=', p.vaultId)
    .where('blob_id', 'in', ids)
    .returning(['blob_id', 'chunks']),
);

/** Abandons a blob unless its put has written something since `before`. */
export const markStaleAbandoned = statement((db, p: BlobKey & { before: number }) =>
  db
    .updateTable('blobs')
    .set({ touched_at: 0 })
    .where('vault_id', '=', p.vaultId)
    .where('blob_id', '=', p.blobId)
    .where('stored_at', 'is', null)
    .where('touched_at', '<', p.before)
    .returning(['chunks']),
);

/** Blobs that were abandoned, or whose put has written nothing since `before`. */
export const findAbandoned = statement((db, p: { before: number; limit: number }) =>
  db
    .selectFrom('blobs')
    .select(['vault_id', 'blob_id'])
    .where('stored_at', 'is', null)
    .where('touched_at', '<', p.before)
    .orderBy('touched_at')
    .limit(p.limit),
);

export const findSome = statement((db, p: { vaultId: VaultId; limit: number }) =>
  db
    .selectFrom('blobs')
    .select(['blob_id', 'chunks'])
    .where('vault_id', '=', p.vaultId)
    .orderBy('blob_id')
    .limit(p.limit),
);

export const deleteChunksBelow = statement((db, p: BlobKey & { below: number }) =>
  db
    .deleteFrom('blob_chunks')
    .where('vault_id', '=', p.vaultId)
    .where('blob_id', '=', p.blobId)
    .where('n', '<', p.below),
);

export const deleteBlob = statement((db, p: BlobKey) =>
  db
    .deleteFrom('blobs')
    .where('vault_id', '=', p.vaultId)
    .where('blob_id', '=', p.blobId)
    .where('stored_at', 'is', null)
    .where('touched_at', '=', 0),
);
