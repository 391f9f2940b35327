import type { AttachmentId, Seq } from '@notevault/protocol/values/ids.ts';
import { cachedEntries } from '../entries/cached-entries.ts';
import type { StoredEntry } from '../entries/entries.ts';
import type { CachedRow, OpenVault } from '../vaults/vaults.ts';
import { openAttachment } from './sealed-attachment.ts';

/** An attachment of the change feed; a tombstone has the data of the deleted attachment. */
export interface ChangedAttachment extends CachedRow {
  readonly id: AttachmentId;
  /** Lower-case hex SHA-256. */
  readonly hash: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** The mtime from the client, epoch seconds. */
  readonly mtime: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deleted: boolean;
}

/** Estimated memory of a row and its hash, without the path: by analogy to notes, which are measured. */
const ROW_BYTES = 440;

/** Live attachments as they are cached in memory. */
export const cachedAttachments = cachedEntries<ChangedAttachment>({
  kind: 'attachment',
  name: 'attachments 1',
  open: changedAttachment,
  bytesOf: ({ path }) => ROW_BYTES + path.length,
});

/** Unseals an attachment or tombstone of the change feed. Throws `attachment_unreadable`. */
export function changedAttachment(vault: OpenVault, row: StoredEntry): ChangedAttachment {
  const { id, seq, meta, size_bytes, mtime, created_at, updated_at, deleted_at } = openAttachment(vault, row);
  return {
    id: id as AttachmentId,
    seq: seq as Seq,
    path: meta.path,
    hash: meta.hash,
    mimeType: meta.type,
    sizeBytes: size_bytes,
    mtime,
    deleted: deleted_at !== null,
    createdAt: created_at,
    updatedAt: updated_at,
  };
}
