import type { Attachment } from '@notevault/protocol/attachments.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { AttachmentId, BlobId, Seq } from '@notevault/protocol/ids.ts';
import { createYield } from '../../concurrency/yield.ts';
import type { ByteRange } from '../../ports/blobs/blobs.ts';
import type { ReadHandle } from '../../ports/database/database.ts';
import { KeyringError } from '../../ports/keyring/keyring.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type OpenedAttachment, openAttachment, toAttachment } from './attachment-mapper.ts';
import type { AttachmentDeps } from './attachments.deps.ts';
import * as store from './attachments.store.ts';
import { bytesContext } from './sealed-attachment.ts';

/** An attachment as its last write left it; a tombstone tells what it was. */
export interface ChangedAttachment {
  readonly id: AttachmentId;
  readonly seq: Seq;
  readonly path: string;
  /** Lower-case hex SHA-256. */
  readonly hash: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** Client mtime, epoch seconds. */
  readonly mtime: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deleted: boolean;
}

/** An attachment with the way to its bytes. */
export interface OpenFile {
  readonly attachment: Attachment;
  /**
   * Opens a range of the bytes as they are iterated; whoever does not iterate must `return`. Resolves once the first of
   * them are open. Throws `attachment_unreadable` for damage, which may show later too, while they are iterated.
   */
  bytes(range: ByteRange): Promise<AsyncIterableIterator<Uint8Array>>;
}

export interface AttachmentQueries {
  /** Throws `attachment_not_found`, `attachment_unreadable`. */
  open(vault: OpenVault, path: string): Promise<OpenFile>;
  /** All of them by path, or those in a folder and the folders below it. Throws `attachment_unreadable`. */
  list(vault: OpenVault, folder: string): Promise<Attachment[]>;
  /** The first `limit` attachments and tombstones written after `after`, by seq. Throws `attachment_unreadable`: none is left out. */
  changedAfter(handle: ReadHandle, vault: OpenVault, after: Seq, limit: number): Promise<ChangedAttachment[]>;
  /** Where live attachments stand: the first `limit` seqs after one, in order. */
  liveSeqs(handle: ReadHandle, vault: OpenVault, after: Seq, limit: number): Promise<Seq[]>;
  /** The live attachments at some seqs, in no order. Throws `attachment_unreadable`: none is left out. */
  liveAt(handle: ReadHandle, vault: OpenVault, seqs: readonly Seq[]): Promise<ChangedAttachment[]>;
  /** Every live attachment, in no order. Throws `attachment_unreadable`: none is left out. */
  allLive(handle: ReadHandle, vault: OpenVault): Promise<ChangedAttachment[]>;
}

const PAGE = 1000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export function createQueries({ db, blobs, namespace }: AttachmentDeps): AttachmentQueries {
  async function rowsOf(handle: ReadHandle, vault: OpenVault): Promise<store.StoredAttachment[]> {
    const found: store.StoredAttachment[] = [];
    for (let after = FIRST_ID; ; ) {
      const rows = await handle.all(store.listRows, { vault: vault.id, after, limit: PAGE });
      found.push(...rows);
      after = rows.at(-1)?.id ?? after;
      if (rows.length < PAGE) return found;
    }
  }

  async function rowsBelow(vault: OpenVault, path: string): Promise<store.StoredAttachment[]> {
    return db.read(async (handle) => {
      const folder = await namespace.folderAt(handle, vault, path);
      const folders = folder === null ? [] : await namespace.foldersBelow(handle, vault, [folder]);
      return handle.allMany(
        store.findRowsIn,
        { vault: vault.id },
        folders.map(({ id }) => id),
      );
    });
  }

  return {
    async open(vault, path) {
      const [row] = await db.allMany(store.findByPaths, { vault: vault.id }, [namespace.pathKey(vault, path)]);
      if (row === undefined || row.blob_id === null) throw new NotevaultError('attachment_not_found');
      const key = { vaultId: vault.id, blobId: row.blob_id as BlobId };
      const size = row.size_bytes;
      // Replaced or deleted meanwhile, the bytes stay for a while: see the sweep.
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
      for (const row of folder === '' ? await rowsOf(db, vault) : await rowsBelow(vault, folder)) {
        await yieldIfDue();
        found.push(toAttachment(openAttachment(vault, row)));
      }
      return found.sort((a, b) => (a.path < b.path ? -1 : 1));
    },
    async changedAfter(handle, vault, after, limit) {
      const rows = await handle.all(store.findChangedAfter, { vault: vault.id, after, limit });
      return rows.map((row) => changed(openAttachment(vault, row)));
    },
    async liveSeqs(handle, vault, after, limit) {
      const places = await handle.all(store.findLiveSeqs, { vault: vault.id, after, limit });
      return places.map(({ seq }) => seq as Seq);
    },
    async liveAt(handle, vault, seqs) {
      const rows = await handle.allMany(store.findLiveAt, { vault: vault.id }, seqs);
      return rows.map((row) => changed(openAttachment(vault, row)));
    },
    async allLive(handle, vault) {
      return (await rowsOf(handle, vault)).map((row) => changed(openAttachment(vault, row)));
    },
  };
}

function changed(attachment: OpenedAttachment): ChangedAttachment {
  const { id, seq, meta } = attachment;
  return {
    ...{ id: id as AttachmentId, seq: seq as Seq, path: meta.path, hash: meta.hash, mimeType: meta.type },
    ...{ sizeBytes: attachment.size_bytes, mtime: attachment.mtime, deleted: attachment.deleted_at !== null },
    ...{ createdAt: attachment.created_at, updatedAt: attachment.updated_at },
  };
}
