import type { Attachment } from '@notevault/protocol/attachments.ts';
import { isoTime } from '@notevault/protocol/time.ts';
import type { OpenedAttachment } from './sealed-attachment.ts';

/** An attachment as clients see it. */
export function toAttachment(
  attachment: Pick<OpenedAttachment, 'id' | 'meta' | 'size_bytes' | 'mtime' | 'seq' | 'created_at' | 'updated_at'>,
): Attachment {
  const { id, meta, size_bytes, mtime, seq, created_at, updated_at } = attachment;
  return {
    ...{ id, path: meta.path, mime_type: meta.type, content_hash: meta.hash, size_bytes, mtime, seq },
    ...{ created_at: isoTime(created_at), updated_at: isoTime(updated_at) },
  };
}
