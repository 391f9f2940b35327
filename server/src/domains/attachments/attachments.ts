import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Writing } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { Attachment } from './attachments.schema.ts';
import { itemPaths } from './batches.ts';
import { deleteAt } from './delete.ts';
import { type AttachmentExpiry, createExpiry } from './expiry.ts';
import { openMeta } from './meta.ts';
import { createMoving, type Moving } from './moving.ts';
import type { AttachmentParts } from './parts.ts';
import { put } from './put.ts';
import { createReading, type Reading } from './reading.ts';
import { checkEnabled, type Received, receive, type Upload } from './receive.ts';
import { createSweeping, type Sweeping } from './sweep.ts';

/** The path of an attachment, for rooms that read rows by joins. Throws `attachment_unreadable`. */
export function attachmentPath(
  vault: OpenVault,
  row: { readonly id: string; readonly stamp: number; readonly meta: Buffer },
): string {
  return openMeta(vault, row.id, row.stamp, row.meta).path;
}

export type { AttachmentHooks } from './parts.ts';
export type { ChangedAttachment, OpenFile } from './reading.ts';
export type { Received, Upload } from './receive.ts';

/** Files beside the notes: stored once for equal bytes, sealed, linked to like notes. */
export interface Attachments extends Reading, Moving, Sweeping, AttachmentExpiry {
  /**
   * Stores the bytes of an upload, which is asked for once the plan allows any. They belong to no attachment until `put`;
   * whoever does not put them must dispose of them. Throws `limit_exceeded`, `extension_not_allowed`, `mime_not_allowed`,
   * and what the upload throws.
   */
  receive<U extends Upload>(vault: OpenVault, upload: () => U | Promise<U>): Promise<{ received: Received; upload: U }>;
  /**
   * Makes received bytes the attachment at their path, or its new bytes; resolves once it is on disk. Bytes that it has
   * already change nothing. Throws `conflict`, `limit_exceeded`.
   *
   * @param mtime epoch seconds; now, by default.
   */
  put(writing: Writing<Attachment>, received: Received, mtime: number | undefined): Promise<Attachment>;
  /** Both of them. */
  upload(writing: Writing<Attachment>, upload: () => Upload & { mtime(): number | undefined }): Promise<Attachment>;
  /** Leaves a tombstone; a path without an attachment is no error. */
  delete(writing: Writing<void>, path: string): Promise<void>;
  /** Deletes those that are there; resolves to how many were. Throws `missing_paths`, `invalid_ids`, `batch_too_large`. */
  deleteMany(writing: Writing<number>, paths: unknown): Promise<number>;
}

const DELETE_MAX = 500;

export function createAttachments(parts: AttachmentParts): Attachments {
  async function take<U extends Upload>(vault: OpenVault, give: () => U | Promise<U>) {
    checkEnabled(vault);
    const upload = await give();
    return { received: await receive(parts, vault, upload), upload };
  }

  return {
    ...createReading(parts),
    ...createMoving(parts),
    ...createSweeping(parts),
    ...createExpiry(parts.db),
    receive: take,
    put: (writing, received, mtime) => put(parts, writing, received, mtime),
    async upload(writing, give) {
      const { received, upload } = await take(writing.vault, give);
      await using held = received;
      return await put(parts, writing, held, upload.mtime());
    },
    async delete(writing, path) {
      await deleteAt(parts, writing, [path], () => undefined);
    },
    async deleteMany(writing, sent) {
      if (sent === undefined || sent === null) throw new NotevaultError('missing_paths');
      const paths = itemPaths(sent, DELETE_MAX, 'batch_too_large');
      return deleteAt(parts, writing, paths, (deleted) => deleted);
    },
  };
}
