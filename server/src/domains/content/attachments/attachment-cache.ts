import type { AttachmentId, Seq } from '@notevault/protocol/values/ids.ts';
import { cachedEntries } from '../entries/cached-entries.ts';
import type { Actor, FeedEntry } from '../entries/entries.ts';
import type { CachedRow, OpenVault } from '../vaults/vaults.ts';
import { type AttachmentMeta, openMeta } from './sealed-attachment.ts';

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

export const cachedAttachments = cachedEntries<ChangedAttachment>({
  kind: 'attachment',
  open: changedAttachment,
  bytesOf: ({ path }) => ROW_BYTES + path.length,
});

/** Unseals an attachment or tombstone. Throws `attachment_unreadable`. */
function changedAttachment(vault: OpenVault, row: FeedEntry): ChangedAttachment {
  return withMeta(row, openMeta(vault, row));
}

/** Returns a changed attachment with its last actor, which is undefined in rows from before actors were stored. */
export function attachmentChange(vault: OpenVault, row: FeedEntry): ChangedAttachment & { readonly actor?: Actor } {
  const meta = openMeta(vault, row);
  const actor = row.deleted_at === null ? meta.actor : meta.deletedActor;
  return { ...withMeta(row, meta), ...(actor === undefined ? {} : { actor }) };
}

function withMeta(row: FeedEntry, { path, hash, type }: AttachmentMeta): ChangedAttachment {
  return {
    id: row.id as AttachmentId,
    seq: row.seq as Seq,
    path,
    hash,
    mimeType: type,
    sizeBytes: row.size_bytes,
    mtime: row.mtime,
    deleted: row.deleted_at !== null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
