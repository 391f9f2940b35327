import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { BlobId } from '@notevault/protocol/values/ids.ts';
import { ConstraintError } from '../../../ports/database/database.ts';
import { attachmentsDisabled, capExceeded, capOf } from '../../plans/plans.ts';
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
}

/** A file whose bytes are stored and sealed but belong to no attachment yet. Disposing of it removes the bytes. */
export interface StoredUpload extends AsyncDisposable {
  readonly blobId: BlobId;
  readonly path: string;
  /** Lower-case hex SHA-256. */
  readonly hash: string;
  readonly size: number;
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
 * Stores and seals the bytes of an upload as they arrive, without holding the file in memory; an error is reported as
 * soon as it is known. Throws `limit_exceeded`, `extension_not_allowed`, `mime_not_allowed`, and the errors of the
 * upload.
 */
export async function storeUpload(deps: AttachmentDeps, vault: OpenVault, upload: UploadInput): Promise<StoredUpload> {
  const { blobs, clock } = deps;
  checkEnabled(vault);
  const extension = () => {
    const path = upload.path();
    return path === null ? null : allowedExtension(deps, path);
  };
  const limits = await limitsOf(deps, vault, upload);
  const rejected = limits.find(({ bytes }) => (upload.declaredBytes ?? 0) > bytes);
  if (rejected !== undefined) throw rejected.error();
  extension();
  const blobId = clock.uuid() as BlobId;
  await register(deps, vault, blobId);
  let finished = false;
  const discard = async () => {
    if (finished) return;
    finished = true;
    await removeUpload(deps, vault, blobId);
  };
  try {
    const inspector = new ContentInspector(limits, extension);
    const sealed = vault.key.sealStream(bytesContext(blobId), inspector.pass(upload.bytes));
    await blobs.put({ vaultId: vault.id, blobId }, sealed);
    const path = upload.path();
    if (path === null) throw new TypeError('an upload that ended without a path');
    return {
      blobId,
      path,
      hash: inspector.hash(),
      size: inspector.size,
      finish() {
        finished = true;
      },
      [Symbol.asyncDispose]: discard,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** Writes the row by which the garbage collection finds the blob, whatever happens. */
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
 * Removes a failed upload. A failure here is left to the garbage collection, because the request already has another
 * error.
 */
async function removeUpload({ db, blobs }: AttachmentDeps, vault: OpenVault, id: BlobId): Promise<void> {
  try {
    await db.transact((handle) => handle.run(blobStore.markDeleting, { vault: vault.id, id }));
    await blobs.delete([{ vaultId: vault.id, blobId: id }]);
    await db.transact((handle) => handle.runMany(blobStore.deleteRows, { vault: vault.id }, [id]));
  } catch {}
}

/**
 * Returns the size limits of the plan and the upload method; the quota is checked again when the upload is committed.
 */
async function limitsOf(deps: AttachmentDeps, vault: OpenVault, upload: UploadInput): Promise<SizeLimit[]> {
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
    const { attachmentBytes: used } = await deps.vaults.usage(deps.db, vault);
    const bytes = capOf(plan, 'attachment_bytes_cap') - used + (path === null ? 0 : await sizeAt(deps, vault, path));
    limits.push({ bytes, error: () => capExceeded('attachment_bytes_cap', vault, used) });
  }
  return limits;
}

async function sizeAt({ db, entries }: AttachmentDeps, vault: OpenVault, path: string): Promise<number> {
  const [row] = await entries.rowsAt(db, vault.id, 'attachment', [entries.pathKey(vault, path)]);
  return row?.size_bytes ?? 0;
}
