import type { Attachments, ChangedAttachment } from '../attachments/attachments.ts';
import type { CachedCollection } from '../vaults/vaults.ts';

/** A row and its hash, beside the letters of the path: estimated as those of notes are measured. */
const ROW_BYTES = 440;

/** Live attachments as they are cached in memory. */
export function cachedAttachmentsOf(attachments: Attachments): CachedCollection<ChangedAttachment> {
  return {
    name: 'attachments 1',
    async changed(handle, vault, after, limit) {
      const rows = await attachments.changedAfter(handle, vault, after, limit);
      return rows.map((row) => ({ id: row.id, seq: row.seq, row: row.deleted ? null : row }));
    },
    liveSeqs: (handle, vault, after, limit) => attachments.liveSeqs(handle, vault, after, limit),
    rowsAt: (handle, vault, seqs) => attachments.liveAt(handle, vault, seqs),
    bytesOf: ({ path }) => ROW_BYTES + path.length,
  };
}
