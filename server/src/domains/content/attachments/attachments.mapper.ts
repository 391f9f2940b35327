import type { Attachment } from '@notevault/protocol/attachments.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import type { StoredEntry } from '../entries/entries.ts';
import { checkPrecondition, isConditional, type Precondition } from '../entries/precondition.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type OpenedAttachment, openAttachment } from './sealed-attachment.ts';

export function toAttachment(
  attachment: Pick<OpenedAttachment, 'id' | 'meta' | 'size_bytes' | 'mtime' | 'seq' | 'created_at' | 'updated_at'>,
): Attachment {
  const { id, meta, size_bytes, mtime, seq, created_at, updated_at } = attachment;
  return {
    id,
    path: meta.path,
    mime_type: meta.type,
    content_hash: meta.hash,
    size_bytes,
    mtime,
    seq,
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  };
}

/** Throws `version_conflict` for an attachment that does not meet the precondition, and `attachment_unreadable`. */
export function checkExpected(vault: OpenVault, row: StoredEntry | undefined, expected: Precondition): void {
  if (!isConditional(expected)) return;
  const attachment = row === undefined ? null : toAttachment(openAttachment(vault, row));
  checkPrecondition(expected, attachment?.content_hash ?? null, () => ({ server_attachment: attachment }));
}
