import type { Seq } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import type { WriteContext } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { openAttachment } from './attachment-mapper.ts';
import type { AttachmentDeps } from './attachments.deps.ts';
import * as store from './attachments.store.ts';
import { releaseBlobs, retryOnConflict } from './put.ts';
import { RevisionConflict } from './revision-conflict.ts';
import { type AttachmentMeta, sealMeta } from './sealed-attachment.ts';

/** An attachment about to become a tombstone, sealed and ready. */
export interface PendingTombstone {
  readonly old: store.StoredAttachment;
  readonly meta: AttachmentMeta;
  readonly tombstone: Buffer;
}

/** Deletions of more attachments than this take the writer for themselves, in slices. */
const SHORT_MAX = 50;
/** Rows written between two looks at the clock: a long transaction lets others run only between its calls. */
const SLICE = 256;

/**
 * Turns all live attachments at these paths into tombstones, in one transaction; paths without one are left out. Resolves
 * to how many there were. Throws `attachment_unreadable` for a damaged one, which then stays, with all others.
 */
export async function deleteAt<Result>(
  deps: AttachmentDeps,
  context: WriteContext<Result>,
  paths: readonly string[],
  answer: (deleted: number) => Result,
): Promise<Result> {
  const { db, namespace, vaults, notes } = deps;
  const { vault } = context;
  const keys = paths.map((path) => namespace.pathKey(vault, path));
  const turn = keys[0]?.toString('hex') ?? '';
  return notes.inTurn(vault, turn, () =>
    retryOnConflict(async () => {
      const rows = await db.allMany(store.findByPaths, { vault: vault.id }, keys);
      const pending = prepareTombstones(vault, rows);
      return db.transact(
        async (handle) => {
          if (pending.length > 0) {
            const first = await vaults.advance(handle, vault, { seqs: pending.length, notes: 0 });
            await writeTombstones(deps, handle, vault, pending, first);
            for (const { old, meta } of pending)
              await namespace.release(handle, vault, meta.path, 'attachment', old.id);
          }
          // Whoever took the others away may not be on disk yet: this transaction waits for that, and looks again.
          const missing = keys.filter((key) => !rows.some((row) => row.path_key.equals(key)));
          if ((await handle.allMany(store.findByPaths, { vault: vault.id }, missing)).length > 0)
            throw new RevisionConflict();
          const result = answer(pending.length);
          await context.inTransaction?.(handle, result);
          return result;
        },
        pending.length > SHORT_MAX ? 'bulk' : 'normal',
      );
    }),
  );
}

/** Throws `attachment_unreadable`. */
export function prepareTombstones(vault: OpenVault, rows: readonly store.StoredAttachment[]): PendingTombstone[] {
  return rows.map((old) => {
    const { meta } = openAttachment(vault, old);
    return { old, meta, tombstone: sealMeta(vault, old.id, old.revision + 1, meta) };
  });
}

/**
 * Writes tombstones over the rows they were prepared from, under the vault's lock; the names are the caller's to give
 * back. Throws Stale when one of them has changed.
 *
 * @param first the seq of the first tombstone; the others follow in order.
 */
export async function writeTombstones(
  deps: Pick<AttachmentDeps, 'vaults' | 'clock' | 'hooks'>,
  handle: WriteHandle,
  vault: OpenVault,
  pending: readonly PendingTombstone[],
  first: Seq,
): Promise<void> {
  const now = deps.clock.now();
  for (let at = 0; at < pending.length; at += SLICE) {
    const rows = pending.slice(at, at + SLICE).map(({ old, tombstone }, index) => ({
      ...old,
      ...{ seq: first + at + index, revision: old.revision + 1, blob_id: null, meta: tombstone },
      ...{ updated_at: now, deleted_at: now },
    }));
    if ((await handle.runMany(store.putRows, { vault: vault.id }, rows)) < rows.length) throw new RevisionConflict();
  }
  const bytes = pending.reduce((sum, { old }) => sum + old.size_bytes, 0);
  await deps.vaults.advance(handle, vault, {
    ...{ seqs: 0, notes: 0, attachments: -pending.length, attachmentBytes: -bytes },
  });
  const blobs = pending.map(({ old }) => old.blob_id);
  await releaseBlobs(deps, handle, vault, blobs);
  const names = pending.map(({ old }) => old.name_key);
  await deps.hooks.namesChanged(handle, vault, names, []);
}
