import type { Seq } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import type { Writing } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './attachments.store.ts';
import { type AttachmentMeta, sealMeta } from './meta.ts';
import { type AttachmentParts, Stale } from './parts.ts';
import { letGo, whileStale } from './put.ts';
import { openAttachment } from './view.ts';

/** An attachment about to become a tombstone, sealed and ready. */
export interface Burial {
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
  parts: AttachmentParts,
  writing: Writing<Result>,
  paths: readonly string[],
  answer: (deleted: number) => Result,
): Promise<Result> {
  const { db, tree, vaults, notes } = parts;
  const { vault } = writing;
  const keys = paths.map((path) => tree.pathKey(vault, path));
  const turn = keys[0]?.toString('hex') ?? '';
  return notes.inTurn(vault, turn, () =>
    whileStale(async () => {
      const rows = await db.allIn(store.findByPaths, { vault: vault.id }, keys);
      const burials = prepareBurials(vault, rows);
      return db.transact(
        async (handle) => {
          if (burials.length > 0) {
            const first = await vaults.advance(handle, vault, { seqs: burials.length, notes: 0 });
            await writeBurials(parts, handle, vault, burials, first);
            for (const { old, meta } of burials) await tree.release(handle, vault, meta.path, 'attachment', old.id);
          }
          // Whoever took the others away may not be on disk yet: this transaction waits for that, and looks again.
          const missing = keys.filter((key) => !rows.some((row) => row.path_key.equals(key)));
          if ((await handle.allIn(store.findByPaths, { vault: vault.id }, missing)).length > 0) throw new Stale();
          const result = answer(burials.length);
          await writing.finish?.(handle, result);
          return result;
        },
        burials.length > SHORT_MAX ? 'long' : 'short',
      );
    }),
  );
}

/** Throws `attachment_unreadable`. */
export function prepareBurials(vault: OpenVault, rows: readonly store.StoredAttachment[]): Burial[] {
  return rows.map((old) => {
    const { meta } = openAttachment(vault, old);
    return { old, meta, tombstone: sealMeta(vault, old.id, old.stamp + 1, meta) };
  });
}

/**
 * Writes tombstones over the rows they were prepared from, under the vault's lock; the names are the caller's to give
 * back. Throws Stale when one of them has changed.
 *
 * @param first the seq of the first tombstone; the others follow in order.
 */
export async function writeBurials(
  parts: Pick<AttachmentParts, 'vaults' | 'clock' | 'hooks'>,
  handle: WriteHandle,
  vault: OpenVault,
  burials: readonly Burial[],
  first: Seq,
): Promise<void> {
  const now = parts.clock.now();
  for (let at = 0; at < burials.length; at += SLICE) {
    const rows = burials.slice(at, at + SLICE).map(({ old, tombstone }, index) => ({
      ...old,
      ...{ seq: first + at + index, stamp: old.stamp + 1, blob_id: null, meta: tombstone },
      ...{ updated_at: now, deleted_at: now },
    }));
    if ((await handle.runIn(store.putRows, { vault: vault.id }, rows)) < rows.length) throw new Stale();
  }
  const bytes = burials.reduce((sum, { old }) => sum + old.size_bytes, 0);
  await parts.vaults.advance(handle, vault, {
    ...{ seqs: 0, notes: 0, attachments: -burials.length, attachmentBytes: -bytes },
  });
  const blobs = burials.map(({ old }) => old.blob_id);
  await letGo(parts, handle, vault, blobs);
  const names = burials.map(({ old }) => old.name_key);
  await parts.hooks.namesChanged(handle, vault, names, []);
}
