import type { VaultTree } from '@notevault/protocol/sync.ts';
import type { Operation, OutboxEntry } from './operation.ts';

// Small, for the page of a vault loads it.

/**
 * Returns a fingerprint that shows whether a note or file changed: a note's change time, a file's time and size. A move
 * keeps it.
 */
export function seenOf(row: VaultTree['notes'][number] | VaultTree['attachments'][number]): string {
  return 'size_bytes' in row ? `${row.mtime} ${row.size_bytes}` : row.updated_at;
}

/** Whether this is an edit of a note that the server had already, as it is kept here on request: nothing makes it. */
export function isEdit(operation: Operation): boolean {
  return operation.kind === 'note' && operation.sent !== null && operation.attempt === null;
}

/** Whether something is to be done, or decided, that somebody may want to know of: not if a note was only read. */
export function isWaiting({ operation, doneAt, problem, isBegun }: OutboxEntry): boolean {
  if (problem !== null) return true;
  // Its page shows the progress.
  if (isBegun === true) return false;
  return doneAt === null && !(operation.kind === 'note' && isEdit(operation) && operation.isTyped !== true);
}
