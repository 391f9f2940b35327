import { attachmentNameKey } from '@notevault/note-text/links/resolve.ts';
import type { Attachment } from '@notevault/protocol/attachments.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { AttachmentId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import type { PathOwner, ResolvedPath } from '../namespace/namespace.ts';
import type { WriteContext } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type OpenedAttachment, openAttachment, toAttachment } from './attachment-mapper.ts';
import type { AttachmentDeps } from './attachments.deps.ts';
import * as store from './attachments.store.ts';
import * as blobStore from './blobs.store.ts';
import { mediaTypeOf } from './extensions.ts';
import { RevisionConflict } from './revision-conflict.ts';
import { hashKeyOf, sealMeta } from './sealed-attachment.ts';
import { allowedExtension, type StoredUpload } from './upload.ts';

/** The path is held by something that is no attachment. */
class PathTaken extends Error {
  readonly owner: PathOwner;
  readonly path: string;
  constructor(owner: PathOwner, path: string) {
    super('the path is taken');
    this.owner = owner;
    this.path = path;
  }
}

/** Each round but the last meets a writer that was faster. */
const ROUNDS_MAX = 50;

/** Prepares and writes anew while somebody else was faster. */
export async function retryOnConflict<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let round = 1; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
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
  deps: AttachmentDeps,
  context: WriteContext<Attachment>,
  received: StoredUpload,
  mtime: number | undefined,
): Promise<Attachment> {
  const { vault } = context;
  const pathKey = deps.namespace.pathKey(vault, received.path);
  return deps.notes.inTurn(vault, pathKey.toString('hex'), () =>
    retryOnConflict(async () => {
      try {
        return await putOnce(deps, context, received, pathKey, mtime);
      } catch (error) {
        if (error instanceof PathTaken) throw await deps.notes.conflictAt(vault, error.owner, error.path);
        throw error;
      }
    }),
  );
}

async function putOnce(
  deps: AttachmentDeps,
  context: WriteContext<Attachment>,
  received: StoredUpload,
  pathKey: Buffer,
  mtime: number | undefined,
): Promise<Attachment> {
  const { db } = deps;
  const { vault } = context;
  const [row] = await db.allMany(store.findByPaths, { vault: vault.id }, [pathKey]);
  const old = row === undefined ? null : openAttachment(vault, row);
  if (old !== null && old.meta.hash === received.hash) return keepUnchanged(deps, context, old);
  const next = await prepare(deps, vault, received, pathKey, old, mtime);
  return db.transact(async (handle) => {
    const grown = { attachments: old === null ? 1 : 0, attachmentBytes: received.size - (old?.size_bytes ?? 0) };
    const seq = await deps.vaults.advance(handle, vault, { seqs: 1, notes: 0, ...grown });
    const folder =
      next.resolved === null ? (old?.folder_id ?? null) : await claim(deps, handle, vault, next.resolved, next.id);
    const blob = await blobFor(deps, handle, vault, received);
    const written = { ...next.row, seq, folder_id: folder, blob_id: blob };
    if ((await handle.runMany(store.putRows, { vault: vault.id }, [written])) === 0) throw new RevisionConflict();
    if (old !== null) await releaseBlobs(deps, handle, vault, [old.blob_id]);
    else await deps.hooks.namesChanged(handle, vault, [written.name_key], [written.id]);
    const result = toAttachment({ ...written, meta: next.meta });
    await context.inTransaction?.(handle, result);
    // Where the vault had these bytes, the received ones are still nobody's.
    if (blob === received.blobId) handle.onCommit(() => received.finish());
    return result;
  });
}

/** A transaction all the same: who wrote these bytes may not be on disk yet. */
async function keepUnchanged(
  { db }: AttachmentDeps,
  context: WriteContext<Attachment>,
  old: OpenedAttachment,
): Promise<Attachment> {
  return db.transact(async (handle) => {
    const [now] = await handle.allMany(store.findRows, { vault: context.vault.id }, [old.id]);
    if (now?.revision !== old.revision) throw new RevisionConflict();
    const result = toAttachment(old);
    await context.inTransaction?.(handle, result);
    return result;
  });
}

async function prepare(
  deps: AttachmentDeps,
  vault: OpenVault,
  { path, hash, size }: StoredUpload,
  pathKey: Buffer,
  old: OpenedAttachment | null,
  mtime: number | undefined,
) {
  const now = deps.clock.now();
  const resolved = old === null ? await deps.namespace.resolve(deps.db, vault, path, pathKey) : null;
  if (resolved !== null && resolved.blocked !== null)
    throw new PathTaken(resolved.blocked.owner, resolved.blocked.path);
  const id = (old?.id ?? deps.clock.uuid()) as AttachmentId;
  const revision = (old?.revision ?? 0) + 1;
  // The stored spelling stays: `A.png` over `a.png` replaces, it does not rename.
  const stored = resolved?.path ?? old?.meta.path ?? path;
  const meta = { path: stored, hash, type: mediaTypeOf(allowedExtension(deps, path)) };
  const row = {
    ...{
      id,
      revision,
      path_key: pathKey,
      name_key: vault.key.blind('name', attachmentNameKey(stored)),
      size_bytes: size,
    },
    ...{ mtime: mtime ?? now / 1000, created_at: old?.created_at ?? now, updated_at: now, deleted_at: null },
    meta: sealMeta(vault, id, revision, meta),
  };
  return { id, resolved, row, meta };
}

async function claim(
  deps: AttachmentDeps,
  handle: WriteHandle,
  vault: OpenVault,
  resolved: ResolvedPath,
  id: AttachmentId,
) {
  const claimed = await deps.namespace.claim(handle, vault, resolved, 'attachment', id);
  if (claimed.ok) return claimed.folder;
  // An attachment that came to be there meanwhile is what the next round replaces; anything else has the path for good.
  if (claimed.owner === null || claimed.owner.kind === 'attachment') throw new RevisionConflict();
  throw new PathTaken(claimed.owner, resolved.path);
}

/** The blob that has these bytes: one the vault has already, else the one received. Under the vault's lock. */
async function blobFor(
  { clock }: AttachmentDeps,
  handle: WriteHandle,
  vault: OpenVault,
  { blobId, hash, size }: StoredUpload,
): Promise<string> {
  const hashKey = hashKeyOf(vault, hash);
  const now = clock.now();
  const same = await handle.get(blobStore.findByHash, { vault: vault.id, hashKey });
  if (same !== undefined) {
    await handle.run(blobStore.markDeleting, { vault: vault.id, id: blobId });
    return same.id;
  }
  const kept = await handle.run(blobStore.commitBlob, { vault: vault.id, id: blobId, hashKey, size, now });
  // The upload took longer than uploads may, and was swept.
  if (kept === 0) throw new NotevaultError('unavailable');
  return blobId;
}

/** Lets blobs go that these rows had, where nothing else has them; their bytes are removed by the sweep. */
export async function releaseBlobs(
  { clock }: Pick<AttachmentDeps, 'clock'>,
  handle: WriteHandle,
  vault: OpenVault,
  blobs: readonly (string | null)[],
): Promise<void> {
  const ids = [...new Set(blobs.filter((id) => id !== null))];
  await handle.runMany(blobStore.markUnusedDeleting, { vault: vault.id, now: clock.now() }, ids);
}
