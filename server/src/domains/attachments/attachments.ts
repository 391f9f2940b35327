import type { Attachment } from '@notevault/protocol/attachments.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { ReadHandle } from '../../ports/database/database.ts';
import type { KindHandler, StoredEntry, WriteContext } from '../entries/entries.ts';
import { isConditional, type Precondition, UNCONDITIONAL } from '../entries/precondition.ts';
import type { SealedEntry } from '../entries/sealed-entry.ts';
import type { CachedCollection, OpenVault } from '../vaults/vaults.ts';
import { type ChangedAttachment, cachedAttachments, changedAttachment } from './attachment-cache.ts';
import { createAttachmentKind } from './attachment-kind.ts';
import type { AttachmentDeps } from './attachments.deps.ts';
import { checkExpected } from './attachments.mapper.ts';
import { itemPaths } from './batch-input.ts';
import { type BlobGc, createBlobGc } from './blob-gc.ts';
import { createMoveOperations, type MoveOperations } from './move.ts';
import { type AttachmentQueries, createQueries } from './queries.ts';
import { openMeta } from './sealed-attachment.ts';
import { put } from './uploads/put.ts';
import { checkEnabled, type StoredUpload, storeUpload, type UploadInput } from './uploads/upload.ts';

/** Returns the path of an attachment, for domains that read its row by a join. Throws `attachment_unreadable`. */
export function attachmentPath(vault: OpenVault, row: SealedEntry): string {
  return openMeta(vault, row).path;
}

export type { ChangedAttachment } from './attachment-cache.ts';
export type { AttachmentLinkHooks } from './attachments.deps.ts';
export type { OpenFile } from './queries.ts';
export type { StoredUpload, UploadInput } from './uploads/upload.ts';

/** Attachments: files that are sealed, stored once for equal bytes, and linked to like notes. */
export interface Attachments extends AttachmentQueries, MoveOperations, BlobGc {
  /** The KindHandler of attachments. */
  readonly kind: KindHandler;
  /** How live attachments are cached in memory. */
  readonly cache: CachedCollection<ChangedAttachment>;
  /** Unseals an attachment or tombstone of the change feed. Throws `attachment_unreadable`. */
  changed(vault: OpenVault, row: StoredEntry): ChangedAttachment;
  /**
   * Stores the bytes of an upload, which is requested only if the plan allows attachments. The bytes belong to no
   * attachment until `put`; a caller that does not put them must dispose of them. Throws `limit_exceeded`,
   * `extension_not_allowed`, `mime_not_allowed`, and the errors of the upload.
   */
  startUpload<U extends UploadInput>(
    vault: OpenVault,
    upload: () => U | Promise<U>,
  ): Promise<{ received: StoredUpload; upload: U }>;
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

const DELETE_MAX = 500;

export function createAttachments(deps: AttachmentDeps): Attachments {
  async function take<U extends UploadInput>(vault: OpenVault, give: () => U | Promise<U>) {
    checkEnabled(vault);
    const upload = await give();
    return { received: await storeUpload(deps, vault, upload), upload };
  }

  /** Throws `version_conflict` when the attachment at a path does not meet the precondition now. */
  async function checkNow(vault: OpenVault, path: string | null, expected: Precondition): Promise<void> {
    if (path === null || !isConditional(expected)) return;
    const { db, entries } = deps;
    const [row] = await entries.rowsAt(db, vault.id, 'attachment', [entries.pathKey(vault, path)]);
    checkExpected(vault, row, expected);
  }

  /** Turns the live attachments at these paths into tombstones; `found` may refuse those that were found. */
  function deleteAt<Result>(
    context: WriteContext<Result>,
    paths: readonly string[],
    found: (rows: readonly StoredEntry[]) => void,
    answer: (deleted: number) => Result,
  ): Promise<Result> {
    const { entries } = deps;
    const { vault } = context;
    const keys = paths.map((path) => entries.pathKey(vault, path));
    const request = {
      asked: new Set(keys.map((key) => key.toString('hex'))).size,
      async find(handle: ReadHandle) {
        const rows = await entries.rowsAt(handle, vault.id, 'attachment', keys);
        found(rows);
        return rows;
      },
      answer,
    };
    return entries.lock.run(vault.id, keys[0]?.toString('hex') ?? '', () => entries.delete(context, request));
  }

  return {
    ...createQueries(deps),
    ...createMoveOperations(deps),
    ...createBlobGc(deps),
    kind: createAttachmentKind(deps),
    cache: cachedAttachments,
    changed: changedAttachment,
    startUpload: take,
    put: (context, received, mtime, expected) => put(deps, context, received, mtime, expected),
    async upload(context, give, expected = UNCONDITIONAL) {
      const checked = async () => {
        const upload = give();
        await checkNow(context.vault, upload.path(), expected);
        return upload;
      };
      const { received, upload } = await take(context.vault, checked);
      await using held = received;
      return await put(deps, context, held, upload.mtime(), expected);
    },
    delete(context, path, expected = UNCONDITIONAL) {
      const { vault } = context;
      let hash: string | null = null;
      const found = ([row]: readonly StoredEntry[]) => {
        checkExpected(vault, row, expected);
        hash = row === undefined ? null : openMeta(vault, row).hash;
      };
      return deleteAt(context, [path], found, () => hash);
    },
    async deleteMany(context, sent) {
      if (sent === undefined || sent === null) throw new NotevaultError('missing_paths');
      const paths = itemPaths(sent, DELETE_MAX, 'batch_too_large');
      return deleteAt(
        context,
        paths,
        () => undefined,
        (deleted) => deleted,
      );
    },
  };
}
