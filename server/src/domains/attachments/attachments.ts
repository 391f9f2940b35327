import type { Attachment } from '@notevault/protocol/attachments.ts';
import type { Blobs } from '../../ports/blobs/blobs.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../ports/database/database.ts';
import type { Entries, FeedEntry, KindHandler, WriteContext } from '../entries/entries.ts';
import type { Precondition } from '../entries/precondition.ts';
import type { SealedEntry } from '../entries/sealed-entry.ts';
import type { CachedCollection, ChangeSequence, OpenVault } from '../vaults/vaults.ts';
import { type ChangedAttachment, cachedAttachments, changedAttachment } from './attachment-cache.ts';
import { createAttachmentKind } from './attachment-kind.ts';
import { type BlobGc, createBlobGc } from './blob-gc.ts';
import { deleteAttachment, deleteAttachments } from './delete-attachments.ts';
import { createMoveOperations, type MoveOperations } from './move.ts';
import { type AttachmentQueries, createQueries } from './queries.ts';
import { openMeta } from './sealed-attachment.ts';
import { put } from './uploads/put.ts';
import { type StartedUpload, startUpload, uploadAttachment } from './uploads/start-upload.ts';
import type { StoredUpload, UploadInput } from './uploads/upload.ts';

/** Hooks to later domains; bound in app.ts. */
export interface AttachmentLinkHooks {
  /**
   * Called when attachments are newly found under some names (`came`), or no longer: links to those names may have
   * another target now. Runs in the transaction of the change.
   */
  namesChanged(handle: WriteHandle, vault: OpenVault, names: readonly Buffer[], came: readonly string[]): Promise<void>;
}

/** The injected dependencies of the domain. */
export interface AttachmentDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly entries: Entries;
  readonly vaults: ChangeSequence;
  readonly clock: Clock;
  /** Accepted file extensions, in lower case and without the dot. */
  readonly extensions: ReadonlySet<string>;
  readonly hooks: AttachmentLinkHooks;
  /** Whether a backup is running, which may still have to copy bytes that nothing refers to any more. */
  readonly backupRuns: () => Promise<boolean>;
}

/** Returns the path of an attachment, for domains that read its row by a join. Throws `attachment_unreadable`. */
export function attachmentPath(vault: OpenVault, row: SealedEntry): string {
  return openMeta(vault, row).path;
}

export type { ChangedAttachment } from './attachment-cache.ts';
export type { OpenFile } from './queries.ts';
export type { StoredUpload, UploadInput } from './uploads/upload.ts';

/** Attachments: files that are sealed, stored once for equal bytes, and linked to like notes. */
export interface Attachments extends AttachmentQueries, MoveOperations, BlobGc {
  readonly kind: KindHandler;
  readonly cache: CachedCollection<ChangedAttachment>;
  /** Unseals an attachment or tombstone of the change feed. Throws `attachment_unreadable`. */
  changed(vault: OpenVault, row: FeedEntry): ChangedAttachment;
  /**
   * Stores the bytes of an upload, which is requested only if the plan allows attachments. The bytes belong to no
   * attachment until `put`; a caller that does not put them must dispose of them. Throws `limit_exceeded`,
   * `extension_not_allowed`, `mime_not_allowed`, and the errors of the upload.
   */
  startUpload<Upload extends UploadInput>(
    vault: OpenVault,
    upload: () => Upload | Promise<Upload>,
  ): Promise<StartedUpload<Upload>>;
  /**
   * Creates the attachment at the path of received bytes, or replaces its bytes; resolves once it is on disk. Equal
   * bytes change nothing. Throws `conflict`, `limit_exceeded`, and `version_conflict` for a failed precondition.
   *
   * @param mtime epoch seconds; now, by default.
   */
  put(
    context: WriteContext<Attachment>,
    received: StoredUpload,
    mtime: number | undefined,
    expected?: Precondition,
  ): Promise<Attachment>;
  /**
   * Calls `startUpload` and then `put`. A precondition that has failed already is refused before any bytes are
   * requested.
   */
  upload(
    context: WriteContext<Attachment>,
    upload: () => UploadInput & { mtime(): number | undefined },
    expected?: Precondition,
  ): Promise<Attachment>;
  /**
   * Turns the attachment at a path into a tombstone; resolves to the hash of its bytes, null when there is no
   * attachment. Throws `version_conflict` for a failed precondition.
   */
  delete(context: WriteContext<string | null>, path: string, expected?: Precondition): Promise<string | null>;
  /**
   * Deletes the attachments at some paths and ignores missing ones; resolves to the number deleted. Throws
   * `missing_paths`, `invalid_ids`, `batch_too_large`.
   */
  deleteMany(context: WriteContext<number>, paths: unknown): Promise<number>;
}

export function createAttachments(deps: AttachmentDeps): Attachments {
  return {
    ...createQueries(deps),
    ...createMoveOperations(deps),
    ...createBlobGc(deps),
    kind: createAttachmentKind(deps),
    cache: cachedAttachments,
    changed: changedAttachment,
    startUpload: (vault, upload) => startUpload(deps, vault, upload),
    put: (context, received, mtime, expected) => put(deps, context, received, mtime, expected),
    upload: (context, upload, expected) => uploadAttachment(deps, context, upload, expected),
    delete: (context, path, expected) => deleteAttachment(deps, context, path, expected),
    deleteMany: (context, paths) => deleteAttachments(deps, context, paths),
  };
}
