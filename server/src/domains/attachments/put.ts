import { attachmentNameKey } from '@notevault/note-text/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { AttachmentId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import type { Writing } from '../notes/notes.ts';
import type { Holder, Spot } from '../tree/tree.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { Attachment } from './attachments.schema.ts';
import * as store from './attachments.store.ts';
import * as blobStore from './blobs.store.ts';
import { mediaTypeOf } from './extensions.ts';
import { hashKeyOf, sealMeta } from './meta.ts';
import { type AttachmentParts, Stale } from './parts.ts';
import { allowedExtension, type Received } from './receive.ts';
import { type OpenedAttachment, openAttachment, toAttachment } from './view.ts';

/** The path is held by something that is no attachment. */
class Taken extends Error {
  readonly holder: Holder;
  readonly path: string;
  constructor(holder: Holder, path: string) {
    super('the path is taken');
    this.holder = holder;
    this.path = path;
  }
}

/** Each round but the last meets a writer that was faster. */
const ROUNDS_MAX = 50;

/** Prepares and writes anew while somebody else was faster. */
export async function whileStale<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let round = 1; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      if (round === ROUNDS_MAX) throw new NotevaultError('unavailable', {}, error);
    }
  }
}

/**
 * Makes received bytes the attachment at their path, or its new bytes. Bytes that the attachment has already change
 * nothing. Resolves once it is on disk. Throws `conflict` where something else has the path, `limit_exceeded`.
 *
 * @param mtime epoch seconds; now, by default.
 */
export function put(
  parts: AttachmentParts,
  writing: Writing<Attachment>,
  received: Received,
  mtime: number | undefined,
): Promise<Attachment> {
  const { vault } = writing;
  const pathKey = parts.tree.pathKey(vault, received.path);
  return parts.notes.inTurn(vault, pathKey.toString('hex'), () =>
    whileStale(async () => {
      try {
        return await putOnce(parts, writing, received, pathKey, mtime);
      } catch (error) {
        if (error instanceof Taken) throw await parts.notes.conflictAt(vault, error.holder, error.path);
        throw error;
      }
    }),
  );
}

async function putOnce(
  parts: AttachmentParts,
  writing: Writing<Attachment>,
  received: Received,
  pathKey: Buffer,
  mtime: number | undefined,
): Promise<Attachment> {
  const { db } = parts;
  const { vault } = writing;
  const [row] = await db.allIn(store.findByPaths, { vault: vault.id }, [pathKey]);
  const old = row === undefined ? null : openAttachment(vault, row);
  if (old !== null && old.meta.hash === received.hash) return keepAsItIs(parts, writing, old);
  const next = await prepare(parts, vault, received, pathKey, old, mtime);
  return db.transact(async (handle) => {
    const grown = { attachments: old === null ? 1 : 0, attachmentBytes: received.size - (old?.size_bytes ?? 0) };
    const seq = await parts.vaults.advance(handle, vault, { seqs: 1, notes: 0, ...grown });
    const folder =
      next.spot === null ? (old?.folder_id ?? null) : await claim(parts, handle, vault, next.spot, next.id);
    const blob = await blobFor(parts, handle, vault, received);
    const written = { ...next.row, seq, folder_id: folder, blob_id: blob };
    if ((await handle.runIn(store.putRows, { vault: vault.id }, [written])) === 0) throw new Stale();
    if (old !== null) await letGo(parts, handle, vault, [old.blob_id]);
    else await parts.hooks.namesChanged(handle, vault, [written.name_key], [written.id]);
    const result = toAttachment({ ...written, meta: next.meta });
    await writing.finish?.(handle, result);
    // Where the vault had these bytes, the received ones are still nobody's.
    if (blob === received.blobId) handle.onCommit(() => received.settle());
    return result;
  });
}

/** A transaction all the same: who wrote these bytes may not be on disk yet. */
async function keepAsItIs(
  { db }: AttachmentParts,
  writing: Writing<Attachment>,
  old: OpenedAttachment,
): Promise<Attachment> {
  return db.transact(async (handle) => {
    const [now] = await handle.allIn(store.findRows, { vault: writing.vault.id }, [old.id]);
    if (now?.stamp !== old.stamp) throw new Stale();
    const result = toAttachment(old);
    await writing.finish?.(handle, result);
    return result;
  });
}

async function prepare(
  parts: AttachmentParts,
  vault: OpenVault,
  { path, hash, size }: Received,
  pathKey: Buffer,
  old: OpenedAttachment | null,
  mtime: number | undefined,
) {
  const now = parts.clock.now();
  const spot = old === null ? await parts.tree.spot(parts.db, vault, path, pathKey) : null;
  if (spot !== null && spot.blocked !== null) throw new Taken(spot.blocked.holder, spot.blocked.path);
  const id = (old?.id ?? parts.clock.uuid()) as AttachmentId;
  const stamp = (old?.stamp ?? 0) + 1;
  // The stored spelling stays: `A.png` over `a.png` replaces, it does not rename.
  const stored = spot?.path ?? old?.meta.path ?? path;
  const meta = { path: stored, hash, type: mediaTypeOf(allowedExtension(parts, path)) };
  const row = {
    ...{ id, stamp, path_key: pathKey, name_key: vault.key.blind('name', attachmentNameKey(stored)), size_bytes: size },
    ...{ mtime: mtime ?? now / 1000, created_at: old?.created_at ?? now, updated_at: now, deleted_at: null },
    meta: sealMeta(vault, id, stamp, meta),
  };
  return { id, spot, row, meta };
}

async function claim(parts: AttachmentParts, handle: WriteHandle, vault: OpenVault, spot: Spot, id: AttachmentId) {
  const claimed = await parts.tree.claim(handle, vault, spot, 'attachment', id);
  if (claimed.ok) return claimed.folder;
  // An attachment that came to be there meanwhile is what the next round replaces; anything else has the path for good.
  if (claimed.holder === null || claimed.holder.kind === 'attachment') throw new Stale();
  throw new Taken(claimed.holder, spot.path);
}

/** The blob that has these bytes: one the vault has already, else the one received. Under the vault's lock. */
async function blobFor(
  { clock }: AttachmentParts,
  handle: WriteHandle,
  vault: OpenVault,
  { blobId, hash, size }: Received,
): Promise<string> {
  const hashKey = hashKeyOf(vault, hash);
  const now = clock.now();
  const same = await handle.get(blobStore.findByHash, { vault: vault.id, hashKey });
  if (same !== undefined) {
    await handle.run(blobStore.giveUp, { vault: vault.id, id: blobId });
    return same.id;
  }
  const kept = await handle.run(blobStore.keepBlob, { vault: vault.id, id: blobId, hashKey, size, now });
  // The upload took longer than uploads may, and was swept.
  if (kept === 0) throw new NotevaultError('unavailable');
  return blobId;
}

/** Lets blobs go that these rows had, where nothing else has them; their bytes are removed by the sweep. */
export async function letGo(
  { clock }: Pick<AttachmentParts, 'clock'>,
  handle: WriteHandle,
  vault: OpenVault,
  blobs: readonly (string | null)[],
): Promise<void> {
  const ids = [...new Set(blobs.filter((id) => id !== null))];
  await handle.runIn(blobStore.letGoUnused, { vault: vault.id, now: clock.now() }, ids);
}
