import type { BlobId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { Precondition } from '../../entries/precondition.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { AttachmentDeps } from '../attachments.ts';
import { bytesContext } from '../sealed-attachment.ts';
import type { SizeLimit } from './content-inspector.ts';
import { checkPath } from './put.ts';
import { allowedExtension, checkEnabled, checkSize, removeBytes, storeBytes } from './upload.ts';

/** An attachment whose bytes arrive later. */
export interface Announced {
  readonly path: string;
  readonly bytes: number;
  /** The size limit of the upload method, besides that of the plan. */
  readonly limit?: SizeLimit;
}

/** Stored bytes that belong to no attachment. */
export interface Part {
  readonly blobId: BlobId;
  readonly size: number;
}

/** What is known before the bytes of an attachment have arrived, and the parts in which they arrive. */
export interface AnnouncedUploads {
  /** Throws what an upload would throw now, whatever its bytes. */
  check(vault: OpenVault, announced: Announced, expected: Precondition): Promise<void>;
  /** Throws `limit_exceeded` when the attachment would exceed the plan. */
  checkSize(handle: ReadHandle, vault: OpenVault, announced: Announced): Promise<void>;
  /** Stores and seals bytes, which are removed when that fails; what nobody removes is gone after a day. */
  store(vault: OpenVault, bytes: AsyncIterable<Uint8Array>): Promise<BlobId>;
  /** Reads parts one after the other. Throws KeyringError when one is damaged or gone. */
  read(vault: OpenVault, parts: readonly Part[]): AsyncIterable<Uint8Array>;
  remove(vault: Pick<OpenVault, 'id'>, ids: readonly BlobId[]): Promise<void>;
}

export function createAnnounced(deps: AttachmentDeps): AnnouncedUploads {
  const check = async (handle: ReadHandle, vault: OpenVault, { path, bytes, limit }: Announced) => {
    await checkSize(deps, handle, vault, { path: () => path, declaredBytes: bytes, ...(limit && { limit }) });
  };
  return {
    async check(vault, announced, expected) {
      checkEnabled(vault);
      allowedExtension(deps, announced.path);
      await check(deps.db, vault, announced);
      await checkPath(deps, vault, announced.path, expected);
    },
    checkSize: check,
    store: (vault, bytes) => storeBytes(deps, vault, bytes),
    async *read(vault, parts) {
      for (const { blobId, size } of parts) {
        const key = { vaultId: vault.id, blobId };
        const range = { start: 0, end: size };
        yield* await vault.key.openStream(bytesContext(blobId), size, range, (sealed) => deps.blobs.read(key, sealed));
      }
    },
    remove: (vault, ids) => removeBytes(deps, vault, ids),
  };
}
