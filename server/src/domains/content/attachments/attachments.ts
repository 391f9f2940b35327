import type { Attachment } from '@notevault/protocol/attachments.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { BlobId } from '@notevault/protocol/values/ids.ts';
import { createYield, type YieldIfDue } from '../../../concurrency/yield.ts';
import type { Blobs, ByteRange } from '../../../ports/blobs/blobs.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database, ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import { KeyringError } from '../../../ports/keyring/keyring.ts';
import type { ActivityLog } from '../activity-log/activity-log.ts';
import type { Entries, MovingEntry, StoredEntry, WriteContext } from '../entries/entries.ts';
import { isConditional, type Precondition, UNCONDITIONAL } from '../entries/precondition.ts';
import type { SealedEntry } from '../entries/sealed-entry.ts';
import type { ChangeSequence, OpenVault } from '../vaults/vaults.ts';
import { attachmentChange, cachedAttachments } from './attachment-cache.ts';
import { createAttachmentKind } from './attachment-kind.ts';
import { checkExpected, toAttachment } from './attachments.mapper.ts';
import { createBlobGc } from './blob-gc.ts';
import { canvasText } from './canvases/canvas-files.ts';
import { itemPaths, moveAttachments, renameAttachment } from './move.ts';
import { bytesContext, openAttachment, openMeta } from './sealed-attachment.ts';
import { createAnnounced } from './uploads/announced.ts';
import { put } from './uploads/put.ts';
import { checkEnabled, type StoredUpload, storeUpload, type UploadInput } from './uploads/upload.ts';

/** Hooks to later domains; bound in app.ts. */
export interface AttachmentLinkHooks {
  /**
   * Called when attachments are newly found under some names (`came`), or no longer: links to those names may have
   * another target now. Runs in the transaction of the change.
   */
  namesChanged(handle: WriteHandle, vault: OpenVault, names: readonly Buffer[], came: readonly string[]): Promise<void>;
  /** See EntryHooks. */
  linksResolved(vault: OpenVault): Promise<void>;
  canvasNames(vault: OpenVault, text: string): Promise<readonly Buffer[]>;
  /** Called in the transaction that writes the row of a canvas, with the names that it refers to now. */
  canvasStored(handle: WriteHandle, vault: OpenVault, id: string, names: readonly Buffer[]): Promise<void>;
  /** Determines before the transaction which canvases a move may touch. */
  planCanvases(
    handle: ReadHandle,
    vault: OpenVault,
    moving: readonly MovingEntry[],
    yieldIfDue: YieldIfDue,
  ): Promise<CanvasPlanner>;
}

export interface CanvasPlanner {
  /** The canvases that refer to a name that moves. */
  readonly ids: readonly string[];
  rewrite(canvas: MovedCanvas): Promise<RewrittenCanvas>;
}

/** A canvas, with its path before and after a move. */
export interface MovedCanvas {
  readonly id: string;
  readonly before: string;
  readonly after: string;
  readonly text: string;
}

export interface RewrittenCanvas {
  /** Null where it stays. */
  readonly text: string | null;
  /** The blind names that it refers to then. */
  readonly names: readonly Buffer[];
  /** Number of references with a new target. */
  readonly changed: number;
  /** Number of references that no longer lead to their target. */
  readonly left: number;
}

export interface AttachmentDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly entries: Entries;
  readonly vaults: ChangeSequence;
  readonly activity: Pick<ActivityLog, 'append'>;
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
export type { Announced, Part } from './uploads/announced.ts';
export type { StoredUpload, UploadInput } from './uploads/upload.ts';

/** Attachments: files that are sealed, stored once for equal bytes, and linked to like notes. */
export type Attachments = ReturnType<typeof createAttachments>;

export function createAttachments(deps: AttachmentDeps) {
  return {
    ...createQueries(deps),
    rename: renameAttachment.bind(null, deps),
    moveMany: moveAttachments.bind(null, deps),
    ...createBlobGc(deps),
    kind: createAttachmentKind(deps),
    /** Returns the id of the person who wrote an attachment’s bytes. Throws `attachment_unreadable`. */
    authorOf: (vault: OpenVault, row: StoredEntry): string | undefined => openMeta(vault, row).actor?.userId,
    cache: cachedAttachments,
    /** Unseals an attachment or tombstone of the change feed. Throws `attachment_unreadable`. */
    changed: attachmentChange,
    startUpload: <Upload extends UploadInput>(
      vault: OpenVault,
      upload: () => Upload | Promise<Upload>,
      expected?: Precondition,
    ) => startUpload(deps, vault, upload, expected),
    put: put.bind(null, deps),
    upload: uploadAttachment.bind(null, deps),
    announced: createAnnounced(deps),
    canvasText: canvasText.bind(null, deps),
    delete: deleteAttachment.bind(null, deps),
    deleteMany: deleteAttachments.bind(null, deps),
  };
}

/** An attachment with access to its bytes. */
export interface OpenFile {
  readonly attachment: Attachment;
  /**
   * Opens a range of the bytes, which are read as they are iterated; a caller that does not iterate must call `return`.
   * Resolves once the first bytes are available. Throws `attachment_unreadable` for damage, also during the iteration.
   */
  bytes(range: ByteRange): Promise<AsyncIterableIterator<Uint8Array>>;
}

function createQueries({ db, blobs, entries }: AttachmentDeps) {
  async function rowsBelow(handle: ReadHandle, vault: OpenVault, path: string): Promise<StoredEntry[]> {
    const folder = await entries.folderAt(handle, vault, path);
    const folders = folder === null ? [] : await entries.foldersBelow(handle, vault, [folder]);
    const ids = folders.map(({ id }) => id);
    return entries.rowsIn(handle, vault.id, 'attachment', ids);
  }

  function opened(vault: OpenVault, row: StoredEntry | undefined): OpenFile {
    if (row === undefined || row.blob_id === null) throw new NotevaultError('attachment_not_found');
    const key = { vaultId: vault.id, blobId: row.blob_id as BlobId };
    const size = row.size_bytes;
    // The bytes of a replaced or deleted attachment are kept for a while: see blob-gc.ts.
    const bytes = (range: ByteRange) =>
      vault.key
        .openStream(bytesContext(key.blobId), size, range, (sealed) => blobs.read(key, sealed))
        .catch((error) => {
          if (error instanceof KeyringError) throw new NotevaultError('attachment_unreadable', {}, error);
          throw error;
        });
    return { attachment: toAttachment(openAttachment(vault, row)), bytes };
  }

  return {
    /** Throws `attachment_not_found`, `attachment_unreadable`. */
    async open(vault: OpenVault, path: string): Promise<OpenFile> {
      const [row] = await entries.rowsAt(db, vault.id, 'attachment', [entries.pathKey(vault, path)]);
      return opened(vault, row);
    },
    /** Throws `attachment_not_found`, `attachment_unreadable`. */
    async openById(vault: OpenVault, id: string): Promise<OpenFile> {
      const [row] = await entries.rowsById(db, vault.id, 'attachment', [id]);
      return opened(vault, row);
    },
    /** Returns all attachments ordered by path, or those in and below a folder. Throws `attachment_unreadable`. */
    async list(vault: OpenVault, folder: string): Promise<Attachment[]> {
      const found: Attachment[] = [];
      const yieldIfDue = createYield();
      const rows = await db.read((handle) =>
        folder === '' ? entries.allLive(handle, vault, 'attachment') : rowsBelow(handle, vault, folder),
      );
      for (const row of rows) {
        await yieldIfDue();
        found.push(toAttachment(openAttachment(vault, row)));
      }
      return found.sort((a, b) => (a.path < b.path ? -1 : 1));
    },
  };
}

export interface StartedUpload<Upload extends UploadInput> {
  readonly received: StoredUpload;
  readonly upload: Upload;
}

/**
 * Stores the bytes of an upload, which is read only if the plan allows attachments. The bytes belong to no attachment
 * until `put`; otherwise the caller must dispose of them. Throws `limit_exceeded`, `file_too_large`,
 * `extension_not_allowed`, `mime_not_allowed`, and the errors of the upload.
 */
async function startUpload<Upload extends UploadInput>(
  deps: AttachmentDeps,
  vault: OpenVault,
  request: () => Upload | Promise<Upload>,
  expected: Precondition = UNCONDITIONAL,
): Promise<StartedUpload<Upload>> {
  checkEnabled(vault);
  const upload = await request();
  await checkNow(deps, vault, upload.path(), expected);
  return { received: await storeUpload(deps, vault, upload), upload };
}

async function uploadAttachment(
  deps: AttachmentDeps,
  context: WriteContext<Attachment>,
  request: () => UploadInput & { mtime(): number | undefined },
  expected: Precondition = UNCONDITIONAL,
): Promise<Attachment> {
  const { received, upload } = await startUpload(deps, context.vault, request, expected);
  await using held = received;
  return await put(deps, context, held, upload.mtime(), expected);
}

/** Throws `version_conflict` when the attachment at a path does not meet the precondition now. */
async function checkNow(
  { db, entries }: AttachmentDeps,
  vault: OpenVault,
  path: string | null,
  expected: Precondition,
): Promise<void> {
  if (path === null || !isConditional(expected)) return;
  const [row] = await entries.rowsAt(db, vault.id, 'attachment', [entries.pathKey(vault, path)]);
  checkExpected(vault, row, expected);
}

const DELETE_MAX = 500;

/** Deletes the attachment at a path; resolves to its hash, null without one. Throws `version_conflict`. */
export function deleteAttachment(
  deps: AttachmentDeps,
  context: WriteContext<string | null>,
  path: string,
  expected: Precondition = UNCONDITIONAL,
): Promise<string | null> {
  const { vault } = context;
  let hash: string | null = null;
  const check = ([row]: readonly StoredEntry[]) => {
    checkExpected(vault, row, expected);
    hash = row === undefined ? null : openMeta(vault, row).hash;
  };
  return deleteAt(deps, context, [path], check, () => hash);
}

/**
 * Deletes the attachments at some paths and ignores missing ones; resolves to the number deleted. Throws
 * `missing_paths`, `invalid_ids`, `batch_too_large`.
 */
export async function deleteAttachments(deps: AttachmentDeps, context: WriteContext<number>, sent: unknown) {
  if (sent === undefined || sent === null) throw new NotevaultError('missing_paths');
  const paths = itemPaths(sent, DELETE_MAX, 'batch_too_large');
  return deleteAt(
    deps,
    context,
    paths,
    () => undefined,
    (deleted) => deleted,
  );
}

/** Turns the live attachments at some paths into tombstones; `check` may refuse the rows that were found. */
function deleteAt<Result>(
  { entries }: AttachmentDeps,
  context: WriteContext<Result>,
  paths: readonly string[],
  check: (rows: readonly StoredEntry[]) => void,
  answer: (deleted: number) => Result,
): Promise<Result> {
  const { vault } = context;
  const keys = paths.map((path) => entries.pathKey(vault, path));
  const request = {
    async find(handle: ReadHandle) {
      const rows = await entries.rowsAt(handle, vault.id, 'attachment', keys);
      check(rows);
      return rows;
    },
    answer,
  };
  return entries.lock.run(vault.id, keys[0]?.toString('hex') ?? '', () => entries.delete(context, request));
}
