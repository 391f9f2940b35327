import { attachmentNameKey } from '@notevault/note-text/links/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { TrashRestored } from '@notevault/protocol/trash.ts';
import { capExceeded, capOf } from '../../foundation/plans/plans.ts';
import type { KindHandler, StoredEntry, TombstoneDraft, WriteContext } from '../entries/entries.ts';
import { pathFrom } from '../entries/request-paths.ts';
import { RevisionConflict, retryOnConflict } from '../entries/revision-conflict.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { toAttachment } from './attachments.mapper.ts';
import type { AttachmentDeps } from './attachments.ts';
import { releaseBlobs } from './blob-gc.ts';
import { namesIn, priorityFor } from './canvases/canvas-files.ts';
import { applyMove, prepareMove } from './moved-attachments.ts';
import { openAttachment, openMeta, sealMeta } from './sealed-attachment.ts';
import { mediaTypeOf } from './uploads/extensions.ts';
import { allowedExtension, checkEnabled } from './uploads/upload.ts';

export function createAttachmentKind(deps: AttachmentDeps): KindHandler {
  return {
    openMeta,
    targetPath(vault, sent, field) {
      checkEnabled(vault);
      const path = pathFrom(sent, field);
      allowedExtension(deps, path);
      return path;
    },
    async conflictDetails(vault, id) {
      const [row] = await deps.entries.rowsById(deps.db, vault.id, 'attachment', [id]);
      return row === undefined ? null : { server_path: openMeta(vault, row).path };
    },
    prepareTombstones: async (context, rows) => rows.map((row) => tombstoneOf(context, row)),
    async deleted(handle, vault, tombstones) {
      const names = tombstones.map(({ old }) => old.name_key);
      await deps.hooks.namesChanged(handle, vault, names, []);
    },
    prepareMove: (context, moving, unused, yieldIfDue) => prepareMove(deps, context, moving, unused, yieldIfDue),
    applyMove: (handle, vault, rest) => applyMove(deps, handle, vault, rest),
    describeTrashed(vault, row) {
      const { path, deletedActor } = openMeta(vault, row);
      if (deletedActor === undefined) throw new NotevaultError('attachment_unreadable');
      return { path, title: null, actor: deletedActor };
    },
    restore: (context, id, path) => restoreDeleted(deps, context, id, path),
    purged: (handle, vault, rows) =>
      releaseBlobs(
        deps,
        handle,
        vault,
        rows.map(({ blob_id }) => blob_id),
      ),
    // The bytes are in blob storage.
    storedBytes: () => 0,
    dropSlice: async () => false,
  };
}

/** Throws `attachment_unreadable`. */
function tombstoneOf({ vault, actor }: Pick<WriteContext, 'vault' | 'actor'>, row: StoredEntry): TombstoneDraft {
  const meta = openMeta(vault, row);
  const tombstone = sealMeta(vault, row.id, row.revision + 1, { ...meta, deletedActor: actor });
  return { old: row, path: meta.path, meta: tombstone, nameKeys: [row.name_key] };
}

/**
 * Restores an attachment in the trash, at `sent` or its last path. Throws `trash_not_found`, `conflict`,
 * `limit_exceeded`, `file_too_large`, `extension_not_allowed`, `attachment_unreadable`, a validation error.
 */
async function restoreDeleted(
  deps: AttachmentDeps,
  context: WriteContext<TrashRestored>,
  id: string,
  sent: string | undefined,
): Promise<TrashRestored> {
  const restored = await retryOnConflict(() => restoreOnce(deps, context, id, sent));
  await deps.hooks.linksResolved(context.vault);
  return restored;
}

async function restoreOnce(
  deps: AttachmentDeps,
  context: WriteContext<TrashRestored>,
  id: string,
  sent: string | undefined,
): Promise<TrashRestored> {
  const { db, entries, vaults, hooks } = deps;
  const { vault, actor, origin } = context;
  const row = await entries.trash.rowById(db, vault, 'attachment', id);
  if (row === undefined) throw new NotevaultError('trash_not_found');
  checkPlan(vault, row.size_bytes);
  const { deletedActor: _actor, ...old } = openAttachment(vault, row).meta;
  const path = sent === undefined ? old.path : pathFrom(sent, 'path');
  const type = mediaTypeOf(allowedExtension(deps, path));
  const resolved = await entries.resolve(db, vault, path, entries.pathKey(vault, path));
  const owner = resolved.blocked?.owner ?? (await entries.ownerOf(db, vault, path));
  if (owner !== null) throw await entries.conflictWith(vault, owner, resolved.blocked?.path ?? path);
  const revision = row.revision + 1;
  const meta = { ...old, path: resolved.path, type, actor };
  const nameKey = vault.key.blind('name', attachmentNameKey(resolved.path));
  const sealedMeta = sealMeta(vault, id, revision, meta);
  const names = await namesIn(deps, vault, meta.path, row);
  return db.transact(async (handle) => {
    const bytes = row.size_bytes;
    const trash = { notes: 0, textBytes: 0, attachmentBytes: -bytes };
    const seq = await vaults.advance(handle, vault, {
      seqs: 1,
      notes: 0,
      attachments: 1,
      attachmentBytes: bytes,
      trash,
    });
    const { folders, counted } = entries.enter(handle, vault, [resolved], 'attachment');
    if (!(await counted)) throw new RevisionConflict();
    const revived = {
      ...row,
      vault_id: vault.id,
      seq,
      revision,
      parent_id: folders[0] ?? null,
      path_key: resolved.pathKey,
      name_key: nameKey,
      updated_at: deps.clock.now(),
      meta: sealedMeta,
      was: row.revision,
    };
    // The next attempt reads the path and the tombstone again.
    if (!(await entries.revive(handle, revived))) throw new RevisionConflict();
    await hooks.namesChanged(handle, vault, [nameKey], [id]);
    const changes = [{ op: 'restore' as const, kind: 'attachment' as const, id, path: meta.path }];
    await Promise.all([
      names === null ? null : hooks.canvasStored(handle, vault, id, names),
      deps.activity.append(handle, vault, [{ action: 'restore', origin, actor, changes }]),
    ]);
    const result = { attachment: toAttachment({ ...revived, meta }) };
    await context.inTransaction?.(handle, result);
    return result;
  }, priorityFor(names));
}

/** Throws `limit_exceeded`, `file_too_large`; the cap of all attachments together is checked in the transaction. */
function checkPlan(vault: OpenVault, bytes: number): void {
  checkEnabled(vault);
  if (bytes > capOf(vault.plan, 'max_file_bytes')) {
    throw capExceeded('max_file_bytes', vault, bytes);
  }
}
