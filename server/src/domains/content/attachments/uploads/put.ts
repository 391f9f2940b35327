import { attachmentNameKey } from '@notevault/note-text/links/resolve.ts';
import type { Attachment } from '@notevault/protocol/attachments.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { AttachmentId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import type { Entries, PathOwner, ResolvedPath, WriteContext } from '../../entries/entries.ts';
import { type Precondition, UNCONDITIONAL } from '../../entries/precondition.ts';
import { RevisionConflict, retryOnConflict } from '../../entries/revision-conflict.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { checkExpected, toAttachment } from '../attachments.mapper.ts';
import type { AttachmentDeps } from '../attachments.ts';
import { releaseBlobs } from '../blob-gc.ts';
import * as blobStore from '../blobs.store.ts';
import { namesIn, priorityFor } from '../canvases/canvas-files.ts';
import { hashKeyOf, type OpenedAttachment, openAttachment, sealMeta } from '../sealed-attachment.ts';
import { mediaTypeOf } from './extensions.ts';
import { allowedExtension, type StoredUpload } from './upload.ts';

/** Thrown when an entry that is not an attachment has the path. */
class PathTaken extends Error {
  readonly owner: PathOwner;
  readonly path: string;
  constructor(owner: PathOwner, path: string) {
    super('the path is taken');
    this.owner = owner;
    this.path = path;
  }
}

/**
 * Creates the attachment at the path of received bytes, or replaces its bytes; equal bytes change nothing. Resolves
 * once it is on disk. Throws `conflict` where another entry has the path, `limit_exceeded`, and `version_conflict` for
 * a failed precondition.
 *
 * @param mtime epoch seconds; now, by default.
 */
export async function put(
  deps: AttachmentDeps,
  context: WriteContext<Attachment>,
  received: StoredUpload,
  mtime: number | undefined,
  expected: Precondition = UNCONDITIONAL,
): Promise<Attachment> {
  const { vault } = context;
  const pathKey = deps.entries.pathKey(vault, received.path);
  const attachment = await deps.entries.lock.run(vault.id, pathKey.toString('hex'), () =>
    retryOnConflict(async () => {
      try {
        return await putOnce(deps, context, received, pathKey, mtime, expected);
      } catch (error) {
        if (error instanceof PathTaken) throw await deps.entries.conflictWith(vault, error.owner, error.path);
        throw error;
      }
    }),
  );
  await deps.hooks.linksResolved(vault);
  return attachment;
}

async function putOnce(
  deps: AttachmentDeps,
  context: WriteContext<Attachment>,
  received: StoredUpload,
  pathKey: Buffer,
  mtime: number | undefined,
  expected: Precondition,
): Promise<Attachment> {
  const { db, entries } = deps;
  const { vault, actor, origin } = context;
  const [row] = await entries.rowsAt(db, vault.id, 'attachment', [pathKey]);
  checkExpected(vault, row, expected);
  const old = row === undefined ? null : openAttachment(vault, row);
  if (old !== null && old.meta.hash === received.hash) return keepUnchanged(deps, context, old);
  const next = await prepare(deps, context, received, pathKey, old, mtime);
  const stored = { blob_id: received.blobId, size_bytes: received.size };
  const names = await namesIn(deps, vault, next.meta.path, stored);
  return db.transact(async (handle) => {
    const seq = await deps.vaults.advance(handle, vault, {
      seqs: 1,
      notes: 0,
      attachments: old === null ? 1 : 0,
      attachmentBytes: received.size - (old?.size_bytes ?? 0),
      announced: received.announced,
    });
    const blob = await blobFor(deps, handle, vault, received);
    const row = { ...next.row, seq, blob_id: blob };
    if (old === null) {
      await insert(deps, handle, vault, next.resolved, row);
      await deps.hooks.namesChanged(handle, vault, [row.name_key], [row.id]);
    } else {
      const updated = { ...row, parent_id: old.parent_id, was: old.revision };
      if (!(await entries.update(handle, updated))) throw new RevisionConflict();
      await releaseBlobs(deps, handle, vault.id, [old.blob_id]);
    }
    const change = { op: old === null ? ('create' as const) : ('edit' as const), kind: 'attachment' as const };
    const changes = [{ ...change, id: row.id, path: next.meta.path }];
    await Promise.all([
      names === null ? null : deps.hooks.canvasStored(handle, vault, row.id, names),
      deps.activity.append(handle, vault, [{ action: 'write', origin, actor, changes }]),
    ]);
    const result = toAttachment({ ...row, meta: next.meta });
    await context.inTransaction?.(handle, result);
    // If the vault already had these bytes, the received copy still belongs to nothing.
    if (blob === received.blobId) handle.onCommit(() => received.finish());
    return result;
  }, priorityFor(names));
}

/** Commits only the response kept under the request's idempotency key, because nothing changes. */
async function keepUnchanged(
  { db }: AttachmentDeps,
  { inTransaction }: WriteContext<Attachment>,
  old: OpenedAttachment,
): Promise<Attachment> {
  const result = toAttachment(old);
  if (inTransaction !== undefined) await db.transact((handle) => inTransaction(handle, result));
  return result;
}

async function prepare(
  deps: AttachmentDeps,
  { vault, actor }: Pick<WriteContext, 'vault' | 'actor'>,
  { path, hash, size }: StoredUpload,
  pathKey: Buffer,
  old: OpenedAttachment | null,
  mtime: number | undefined,
) {
  const now = deps.clock.now();
  const resolved = old === null ? await deps.entries.resolve(deps.db, vault, path, pathKey) : null;
  if (resolved !== null && resolved.blocked !== null)
    throw new PathTaken(resolved.blocked.owner, resolved.blocked.path);
  const id = (old?.id ?? deps.clock.uuid()) as AttachmentId;
  const revision = (old?.revision ?? 0) + 1;
  // The stored spelling is kept: `A.png` over `a.png` replaces the bytes and does not rename.
  const stored = resolved?.path ?? old?.meta.path ?? path;
  const meta = { path: stored, hash, type: mediaTypeOf(allowedExtension(deps, path)), actor };
  const row = {
    vault_id: vault.id,
    id,
    kind: 'attachment' as const,
    revision,
    version: null,
    path_key: pathKey,
    name_key: vault.key.blind('name', attachmentNameKey(stored)),
    size_bytes: size,
    mtime: mtime ?? now / 1000,
    created_at: old?.created_at ?? now,
    updated_at: now,
    meta: sealMeta(vault, id, revision, meta),
  };
  return { resolved, row, meta };
}

/**
 * Throws the errors that `put` would throw now for an attachment at a path, regardless of its bytes: `conflict` where
 * another entry has the path, and `version_conflict`.
 */
export async function checkPath(deps: AttachmentDeps, vault: OpenVault, path: string, expected: Precondition) {
  const { db, entries } = deps;
  const pathKey = entries.pathKey(vault, path);
  const [row] = await entries.rowsAt(db, vault.id, 'attachment', [pathKey]);
  checkExpected(vault, row, expected);
  if (row !== undefined) return;
  const { blocked } = await entries.resolve(db, vault, path, pathKey);
  if (blocked !== null) throw await entries.conflictWith(vault, blocked.owner, blocked.path);
}

/** Throws PathTaken, RevisionConflict. */
async function insert(
  { entries }: AttachmentDeps,
  handle: WriteHandle,
  vault: OpenVault,
  resolved: ResolvedPath | null,
  row: Omit<Parameters<Entries['insert']>[1], 'parent_id'>,
): Promise<void> {
  if (resolved === null) throw new TypeError('a new attachment needs a place');
  const { folders, counted } = entries.enter(handle, vault, [resolved], 'attachment');
  if (!(await counted)) throw new RevisionConflict();
  if (await entries.insert(handle, { ...row, parent_id: folders[0] ?? null })) return;
  const owner = await entries.ownerOf(handle, vault, resolved.path);
  // An attachment created meanwhile is replaced by the next attempt; any other entry keeps the path.
  throw owner === null || owner.kind === 'attachment' ? new RevisionConflict() : new PathTaken(owner, resolved.path);
}

/** Returns the blob with these bytes: one of the vault, else the received one. Call it under the vault's lock. */
export async function blobFor(
  { clock }: AttachmentDeps,
  handle: WriteHandle,
  vault: OpenVault,
  { blobId, hash, size }: Pick<StoredUpload, 'blobId' | 'hash' | 'size'>,
): Promise<string> {
  const hashKey = hashKeyOf(vault, hash);
  const now = clock.now();
  const same = await handle.get(blobStore.findByHash, { vault_id: vault.id, hash_key: hashKey });
  if (same !== undefined) {
    await handle.runMany(blobStore.markDeleting, { vault: vault.id }, [blobId]);
    return same.id;
  }
  const kept = await handle.run(blobStore.commitBlob, { vault: vault.id, id: blobId, hashKey, size, now });
  // The upload took too long and was abandoned by the garbage collection.
  if (kept === 0) throw new NotevaultError('unavailable');
  return blobId;
}
