import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { BlobId } from '@notevault/protocol/values/ids.ts';
import { ConstraintError, type ReadHandle } from '../../../../ports/database/database.ts';
import { attachmentsDisabled, capExceeded, capOf } from '../../../foundation/plans/plans.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { AttachmentDeps } from '../attachments.ts';
import * as blobStore from '../blobs.store.ts';
import { bytesContext } from '../sealed-attachment.ts';
import { ContentInspector, type SizeLimit } from './content-inspector.ts';
import { extensionOf } from './extensions.ts';

export interface UploadInput {
  /** Returns the normalized path of the file; null until it has arrived. Throws a validation error. */
  readonly path: () => string | null;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The size that the client declares; null when it declares none. */
  readonly declaredBytes: number | null;
  /** The size limit of the upload method, besides that of the plan. */
  readonly limit?: SizeLimit;
  /** Id of the sliced upload that it completes, which has reserved its bytes. */
  readonly announced?: string;
}

/** A file whose bytes are stored and sealed but belong to no attachment yet. Disposing of it removes the bytes. */
export interface StoredUpload extends AsyncDisposable {
  readonly blobId: BlobId;
  readonly path: string;
  /** Lower-case hex SHA-256. */
  readonly hash: string;
  readonly size: number;
  readonly announced: string | null;
  /** Call when the bytes belong to an attachment or to the garbage collection: disposal then removes nothing. */
  finish(): void;
}

/** Throws `limit_exceeded` when the plan has no attachments. */
export function checkEnabled(vault: Pick<OpenVault, 'plan' | 'tier'>): void {
  if (!vault.plan.attachments_enabled) throw attachmentsDisabled(vault);
}

/** Returns the extension of a path if it is accepted. Throws `extension_not_allowed`. */
export function allowedExtension({ extensions }: Pick<AttachmentDeps, 'extensions'>, path: string): string {
  const extension = extensionOf(path);
  if (extension !== null && extensions.has(extension)) return extension;
  throw new NotevaultError('extension_not_allowed', { mime_type: null, extension });
}

/**
 * Stores and seals the bytes of an upload as they arrive. Throws `limit_exceeded`, `file_too_large`,
 * `extension_not_allowed`, `mime_not_allowed` as soon as they are known, and the errors of the upload.
 */
export async function storeUpload(deps: AttachmentDeps, vault: OpenVault, upload: UploadInput): Promise<StoredUpload> {
  checkEnabled(vault);
  const extension = () => {
    const path = upload.path();
    return path === null ? null : allowedExtension(deps, path);
  };
  const limits = await checkSize(deps, deps.db, vault, upload);
  extension();
  const inspector = new ContentInspector(limits, extension);
  const blobId = await storeBytes(deps, vault, inspector.pass(upload.bytes));
  const path = upload.path();
  if (path === null) throw new TypeError('an upload that ended without a path');
  let finished = false;
  return {
    blobId,
    path,
    hash: inspector.hash(),
    size: inspector.size,
    announced: upload.announced ?? null,
    finish() {
      finished = true;
    },
    async [Symbol.asyncDispose]() {
      if (finished) return;
      finished = true;
      await removeBytes(deps, vault, [blobId]);
    },
  };
}

/** Seals and stores bytes, and removes them on failure; bytes left unattached are collected after a day. */
export async function storeBytes(deps: AttachmentDeps, vault: OpenVault, bytes: AsyncIterable<Uint8Array>) {
  const blobId = deps.clock.uuid() as BlobId;
  await register(deps, vault, blobId);
  try {
    await deps.blobs.put({ vaultId: vault.id, blobId }, vault.key.sealStream(bytesContext(blobId), bytes));
    return blobId;
  } catch (error) {
    await removeBytes(deps, vault, [blobId]);
    throw error;
  }
}

/** Writes the row by which the garbage collection finds the blob, even after a crash. */
async function register({ db, clock }: AttachmentDeps, vault: OpenVault, id: BlobId): Promise<void> {
  try {
    await db.transact((handle) => handle.run(blobStore.insertPending, { vault: vault.id, id, now: clock.now() }));
  } catch (error) {
    // The vault was purged after the request was authorized.
    if (error instanceof ConstraintError) throw new NotevaultError('vault_header_not_found', {}, error);
    throw error;
  }
}

/**
 * Removes stored bytes that belong to no attachment. A failure here is left to the garbage collection, because the
 * request already has another error, or its answer.
 */
export async function removeBytes(
  { db, blobs }: Pick<AttachmentDeps, 'db' | 'blobs'>,
  { id: vault }: Pick<OpenVault, 'id'>,
  ids: readonly BlobId[],
): Promise<void> {
  try {
    const rows = await db.transact(async (handle) => {
      await handle.runMany(blobStore.markDeleting, { vault }, ids);
      return handle.allMany(blobStore.findKnown, { vault_id: vault }, ids);
    });
    // A commit whose answer was lost has given the others to attachments.
    const unused = rows.filter(({ state }) => state === 'deleting').map(({ id }) => id as BlobId);
    await blobs.delete(unused.map((blobId) => ({ vaultId: vault, blobId })));
    await db.transact((handle) => handle.runMany(blobStore.deleteRows, { vault }, unused));
  } catch {}
}

type Announcement = Omit<UploadInput, 'bytes'>;

/** Returns the size limits of an upload. Throws the error of one that it declares to exceed. */
export async function checkSize(deps: AttachmentDeps, handle: ReadHandle, vault: OpenVault, upload: Announcement) {
  const limits = await limitsOf(deps, handle, vault, upload);
  const rejected = limits.find(({ bytes }) => (upload.declaredBytes ?? 0) > bytes);
  if (rejected !== undefined) throw rejected.error();
  return limits;
}

/** Returns the limits of the plan and of the upload method. The quota is checked again when the upload is committed. */
async function limitsOf(deps: AttachmentDeps, handle: ReadHandle, vault: OpenVault, upload: Announcement) {
  const { plan } = vault;
  const limits: SizeLimit[] = [];
  const current = upload.declaredBytes ?? 0;
  if (plan.max_file_bytes !== null) {
    const error = () => capExceeded('max_file_bytes', vault, current);
    limits.push({ bytes: capOf(plan, 'max_file_bytes'), error });
  }
  if (upload.limit !== undefined) limits.push(upload.limit);
  if (plan.attachment_bytes_cap !== null) {
    const path = upload.path();
    const { bytes: attachmentBytes } = await deps.vaults.usage(handle, vault);
    const used = attachmentBytes + (await deps.vaults.announcedBytes(handle, vault, upload.announced ?? null));
    const replaced = path === null ? 0 : await sizeAt(deps, handle, vault, path);
    const bytes = capOf(plan, 'attachment_bytes_cap') - used + replaced;
    limits.push({ bytes, error: () => capExceeded('attachment_bytes_cap', vault, used) });
  }
  return limits;
}

async function sizeAt(
  { entries }: AttachmentDeps,
  handle: ReadHandle,
  vault: OpenVault,
  path: string,
): Promise<number> {
  const [row] = await entries.rowsAt(handle, vault.id, 'attachment', [entries.pathKey(vault, path)]);
  return row?.size_bytes ?? 0;
}
