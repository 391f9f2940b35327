import type { VaultTree } from '@notevault/protocol/sync.ts';
import type { Operation, OutboxEntry } from './operation.ts';

// Small, for the page of a vault loads it.

/** By what it is seen whether a note or file changed: a note when that was, a file its time and size, which moves leave. */
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
  // Whoever asked for it sees how far it is.
  if (isBegun === true) return false;
  return doneAt === null && !(operation.kind === 'note' && isEdit(operation) && operation.isTyped !== true);
}
