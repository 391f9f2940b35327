import type { Attachment } from '@notevault/protocol/attachments.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { BlobId } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../concurrency/yield.ts';
import type { ByteRange } from '../../ports/blobs/blobs.ts';
import type { ReadHandle } from '../../ports/database/database.ts';
import { KeyringError } from '../../ports/keyring/keyring.ts';
import type { StoredEntry } from '../entries/entries.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { toAttachment } from './attachments.mapper.ts';
import type { AttachmentDeps } from './attachments.ts';
import { bytesContext, openAttachment } from './sealed-attachment.ts';

/** An attachment with access to its bytes. */
export interface OpenFile {
  readonly attachment: Attachment;
  /**
   * Opens a range of the bytes, which are read as they are iterated; a caller that does not iterate must call `return`.
   * Resolves once the first bytes are available. Throws `attachment_unreadable` for damage, also during the iteration.
   */
  bytes(range: ByteRange): Promise<AsyncIterableIterator<Uint8Array>>;
}

export interface AttachmentQueries {
  /** Throws `attachment_not_found`, `attachment_unreadable`. */
  open(vault: OpenVault, path: string): Promise<OpenFile>;
  /** Returns all attachments ordered by path, or those in and below a folder. Throws `attachment_unreadable`. */
  list(vault: OpenVault, folder: string): Promise<Attachment[]>;
}

export function createQueries({ db, blobs, entries }: AttachmentDeps): AttachmentQueries {
  async function rowsBelow(handle: ReadHandle, vault: OpenVault, path: string): Promise<StoredEntry[]> {
    const folder = await entries.folderAt(handle, vault, path);
    const folders = folder === null ? [] : await entries.foldersBelow(handle, vault, [folder]);
    const ids = folders.map(({ id }) => id);
    return entries.rowsIn(handle, vault.id, 'attachment', ids);
  }

  return {
    async open(vault, path) {
      const [row] = await entries.rowsAt(db, vault.id, 'attachment', [entries.pathKey(vault, path)]);
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
    },
    async list(vault, folder) {
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
