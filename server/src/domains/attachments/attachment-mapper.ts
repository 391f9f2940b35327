import type { Attachment } from '@notevault/protocol/attachments.ts';
import { isoTime } from '@notevault/protocol/time.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { StoredAttachment } from './attachments.store.ts';
import { type AttachmentMeta, openMeta } from './sealed-attachment.ts';

/** An attachment's row with its sealed part open. */
export interface OpenedAttachment extends Omit<StoredAttachment, 'meta'> {
  readonly meta: AttachmentMeta;
}

/** Throws `attachment_unreadable`. */
export function openAttachment(vault: OpenVault, row: StoredAttachment): OpenedAttachment {
  return { ...row, meta: openMeta(vault, row.id, row.revision, row.meta) };
}

/** An attachment as clients see it. */
export function toAttachment(attachment: Omit<OpenedAttachment, 'folder_id' | 'path_key' | 'name_key'>): Attachment {
  const { id, meta, size_bytes, mtime, seq, created_at, updated_at } = attachment;
  return {
    ...{ id, path: meta.path, mime_type: meta.type, content_hash: meta.hash, size_bytes, mtime, seq },
    ...{ created_at: isoTime(created_at), updated_at: isoTime(updated_at) },
  };
}
