import type { Attachment } from '@notevault/protocol/attachments.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { WriteContext } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { AttachmentDeps } from './attachments.deps.ts';
import { itemPaths } from './batch-input.ts';
import { type BlobGc, createBlobGc } from './blob-gc.ts';
import { deleteAt } from './delete.ts';
import { createMoveOperations, type MoveOperations } from './move.ts';
import { put } from './put.ts';
import { type AttachmentQueries, createQueries } from './queries.ts';
import { openMeta } from './sealed-attachment.ts';
import { type AttachmentExpiry, createTombstoneExpiry } from './tombstone-expiry.ts';
import { checkEnabled, type StoredUpload, storeUpload, type UploadInput } from './upload.ts';

/** The path of an attachment, for domains that read rows by joins. Throws `attachment_unreadable`. */
export function attachmentPath(
  vault: OpenVault,
  row: { readonly id: string; readonly revision: number; readonly meta: Buffer },
): string {
  return openMeta(vault, row.id, row.revision, row.meta).path;
}

export type { AttachmentLinkHooks } from './attachments.deps.ts';
export type { ChangedAttachment, OpenFile } from './queries.ts';
export type { StoredUpload, UploadInput } from './upload.ts';

/** Files beside the notes: stored once for equal bytes, sealed, linked to like notes. */
export interface Attachments extends AttachmentQueries, MoveOperations, BlobGc, AttachmentExpiry {
  /**
   * Stores the bytes of an upload, which is asked for once the plan allows any. They belong to no attachment until `put`;
   * whoever does not put them must dispose of them. Throws `limit_exceeded`, `extension_not_allowed`, `mime_not_allowed`,
   * and what the upload throws.
   */
  startUpload<U extends UploadInput>(
    vault: OpenVault,
    upload: () => U | Promise<U>,
  ): Promise<{ received: StoredUpload; upload: U }>;
  /**
   * Makes received bytes the attachment at their path, or its new bytes; resolves once it is on disk. Bytes that it has
   * already change nothing. Throws `conflict`, `limit_exceeded`.
   *
   * @param mtime epoch seconds; now, by default.
   */
  put(context: WriteContext<Attachment>, received: StoredUpload, mtime: number | undefined): Promise<Attachment>;
  /** Both of them. */
  upload(
    context: WriteContext<Attachment>,
    upload: () => UploadInput & { mtime(): number | undefined },
  ): Promise<Attachment>;
  /** Leaves a tombstone; a path without an attachment is no error. */
  delete(context: WriteContext<void>, path: string): Promise<void>;
  /** Deletes those that are there; resolves to how many were. Throws `missing_paths`, `invalid_ids`, `batch_too_large`. */
  deleteMany(context: WriteContext<number>, paths: unknown): Promise<number>;
}

const DELETE_MAX = 500;

export function createAttachments(deps: AttachmentDeps): Attachments {
  async function take<U extends UploadInput>(vault: OpenVault, give: () => U | Promise<U>) {
    checkEnabled(vault);
    const upload = await give();
    return { received: await storeUpload(deps, vault, upload), upload };
  }

  return {
    ...createQueries(deps),
    ...createMoveOperations(deps),
    ...createBlobGc(deps),
    ...createTombstoneExpiry(deps.db),
    startUpload: take,
    put: (context, received, mtime) => put(deps, context, received, mtime),
    async upload(context, give) {
      const { received, upload } = await take(context.vault, give);
      await using held = received;
      return await put(deps, context, held, upload.mtime());
    },
    async delete(context, path) {
      await deleteAt(deps, context, [path], () => undefined);
    },
    async deleteMany(context, sent) {
      if (sent === undefined || sent === null) throw new NotevaultError('missing_paths');
      const paths = itemPaths(sent, DELETE_MAX, 'batch_too_large');
      return deleteAt(deps, context, paths, (deleted) => deleted);
    },
  };
}
