import type { BlobId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../../ports/database/database.ts';
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
  readonly limit?: SizeLimit;
  readonly upload?: string;
}

/** Stored bytes that belong to no attachment. */
export interface Part {
  readonly blobId: BlobId;
  readonly size: number;
}

/** Creates the operations for uploads that are announced before their bytes arrive in parts. */
export function createAnnounced(deps: AttachmentDeps) {
  const check = async (handle: ReadHandle, vault: OpenVault, { path, bytes, limit, upload }: Announced) => {
    const known = { ...(limit && { limit }), ...(upload && { announced: upload }) };
    await checkSize(deps, handle, vault, { path: () => path, declaredBytes: bytes, ...known });
  };
  return {
    /** Throws the errors that an upload would throw now, regardless of its bytes. */
    async check(vault: OpenVault, announced: Announced, expected: Precondition): Promise<void> {
      checkEnabled(vault);
      allowedExtension(deps, announced.path);
      await check(deps.db, vault, announced);
      await checkPath(deps, vault, announced.path, expected);
    },
    /** Throws `limit_exceeded` or `file_too_large` when the attachment would exceed the plan. */
    checkSize: check,
    store: storeBytes.bind(null, deps),
    /** Reads parts one after the other. Throws KeyringError when one is damaged or gone. */
    async *read(vault: OpenVault, parts: readonly Part[]): AsyncGenerator<Uint8Array> {
      for (const { blobId, size } of parts) {
        const key = { vaultId: vault.id, blobId };
        const range = { start: 0, end: size };
        yield* await vault.key.openStream(bytesContext(blobId), size, range, (sealed) => deps.blobs.read(key, sealed));
      }
    },
    remove: removeBytes.bind(null, deps),
  };
}
