import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { BlobId } from '@notevault/protocol/ids.ts';
import { ConstraintError } from '../../engines/database/database.ts';
import { attachmentsDisabled, capExceeded, capOf } from '../plans/plans.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './attachments.store.ts';
import * as blobStore from './blobs.store.ts';
import { extensionOf } from './extensions.ts';
import { Looking, type SizeLimit } from './looking.ts';
import { bytesPlace } from './meta.ts';
import type { AttachmentParts } from './parts.ts';

/** A file on its way in. */
export interface Upload {
  /** The path it is for, normalised; null while the request has not come so far. Throws a validation error. */
  readonly path: () => string | null;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** How many bytes the client says it has; null when it does not. */
  readonly declaredBytes: number | null;
  /** A limit of the way it comes, beside the plan's. */
  readonly limit?: SizeLimit;
}

/** A file whose bytes are stored, sealed, and belong to no attachment yet. Disposed of before they do, they are removed. */
export interface Received extends AsyncDisposable {
  readonly blobId: BlobId;
  readonly path: string;
  /** Lower-case hex SHA-256. */
  readonly hash: string;
  readonly size: number;
  /** They belong to an attachment now, or the sweep takes them: nothing is left to remove. */
  settle(): void;
}

/** Throws `limit_exceeded` when the plan has no attachments. */
export function checkEnabled(vault: Pick<OpenVault, 'plan' | 'tier'>): void {
  if (!vault.plan.attachments_enabled) throw attachmentsDisabled(vault.tier);
}

/** The extension of a path, when files with it are taken. Throws `extension_not_allowed`. */
export function allowedExtension({ extensions }: Pick<AttachmentParts, 'extensions'>, path: string): string {
  const extension = extensionOf(path);
  if (extension !== null && extensions.has(extension)) return extension;
  throw new NotevaultError('extension_not_allowed', { mime_type: null, extension });
}

/**
 * Stores the bytes of an upload, sealed, as they come; nothing of them is held in memory, and what is wrong is said as
 * soon as it is known. Throws `limit_exceeded`, `extension_not_allowed`, `mime_not_allowed`, and what the upload throws.
 */
export async function receive(parts: AttachmentParts, vault: OpenVault, upload: Upload): Promise<Received> {
  const { blobs, clock } = parts;
  checkEnabled(vault);
  const extension = () => {
    const path = upload.path();
    return path === null ? null : allowedExtension(parts, path);
  };
  const limits = await limitsOf(parts, vault, upload);
  const refused = limits.find(({ bytes }) => (upload.declaredBytes ?? 0) > bytes);
  if (refused !== undefined) throw refused.refusal();
  extension();
  const blobId = clock.uuid() as BlobId;
  await register(parts, vault, blobId);
  let settled = false;
  const discard = async () => {
    if (settled) return;
    settled = true;
    await removeUpload(parts, vault, blobId);
  };
  try {
    const looking = new Looking(limits, extension);
    const sealed = vault.key.sealStream(bytesPlace(blobId), looking.pass(upload.bytes));
    await blobs.put({ vaultId: vault.id, blobId }, sealed);
    const path = upload.path();
    if (path === null) throw new TypeError('an upload that ended without a path');
    return {
      ...{ blobId, path, hash: looking.hash(), size: looking.size },
      settle() {
        settled = true;
      },
      [Symbol.asyncDispose]: discard,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** From here on the sweep knows of the blob, whatever happens. */
async function register({ db, clock }: AttachmentParts, vault: OpenVault, id: BlobId): Promise<void> {
  try {
    await db.transact((handle) => handle.run(blobStore.insertComing, { vault: vault.id, id, now: clock.now() }));
  } catch (error) {
    // Purged since the request was let in.
    if (error instanceof ConstraintError) throw new NotevaultError('vault_header_not_found', {}, error);
    throw error;
  }
}

/** Takes back an upload that came to nothing. What fails here is for the sweep: the answer is another one. */
async function removeUpload({ db, blobs }: AttachmentParts, vault: OpenVault, id: BlobId): Promise<void> {
  try {
    await db.transact((handle) => handle.run(blobStore.giveUp, { vault: vault.id, id }));
    await blobs.delete([{ vaultId: vault.id, blobId: id }]);
    await db.transact((handle) => handle.runIn(blobStore.forgetGone, { vault: vault.id }, [id]));
  } catch {}
}

/** What the plan allows, and the way the upload comes; the quota counts again, for sure, when it is committed. */
async function limitsOf(parts: AttachmentParts, vault: OpenVault, upload: Upload): Promise<SizeLimit[]> {
  const { plan, tier } = vault;
  const limits: SizeLimit[] = [];
  const current = upload.declaredBytes ?? 0;
  if (plan.max_file_bytes !== null) {
    const refusal = () => capExceeded('max_file_bytes', tier, plan, current);
    limits.push({ bytes: capOf(plan, 'max_file_bytes'), refusal });
  }
  if (upload.limit !== undefined) limits.push(upload.limit);
  if (plan.attachment_bytes_cap !== null) {
    const path = upload.path();
    const { attachmentBytes: used } = await parts.vaults.usage(parts.db, vault);
    const bytes = capOf(plan, 'attachment_bytes_cap') - used + (path === null ? 0 : await sizeAt(parts, vault, path));
    limits.push({ bytes, refusal: () => capExceeded('attachment_bytes_cap', tier, plan, used) });
  }
  return limits;
}

async function sizeAt({ db, tree }: AttachmentParts, vault: OpenVault, path: string): Promise<number> {
  const [row] = await db.allIn(store.findByPaths, { vault: vault.id }, [tree.pathKey(vault, path)]);
  return row?.size_bytes ?? 0;
}
