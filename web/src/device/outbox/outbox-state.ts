import { ObservableValue } from '../../platform/observable.ts';
import { isEdit } from './entry-facts.ts';
import type { OutboxEntry } from './operation.ts';
import type { OutboxState } from './outbox.ts';

/** Pending operations of this browser, for the user interface. */
export const outboxState = new ObservableValue<OutboxState>({ entries: [], isSending: false });

/** Returns the entry of a note whose pending text has a document of its own; null for any other note. */
export function draftOf(noteId: string): OutboxEntry | null {
  const { entries } = outboxState.get();
  return entries.find(({ operation, doneAt }) => doneAt === null && isNote(operation, noteId)) ?? null;
}

/** Whether the server does not have a note yet. */
export function isNew(noteId: string): boolean {
  const entry = draftOf(noteId);
  return entry !== null && !isEdit(entry.operation);
}

/** Whether the outbox knows of a note that was made here, also for a while after it was sent. */
export function knowsDraft(noteId: string): boolean {
  return outboxState.get().entries.some(({ operation }) => isNote(operation, noteId));
}

function isNote(operation: OutboxEntry['operation'], noteId: string): boolean {
  return operation.kind === 'note' && operation.noteId === noteId;
}

const DRAFT = 'draft ';

/** The id under which this device keeps the document of a draft: not that of the note, which has one of the server. */
export function draftId(noteId: string): string {
  return DRAFT + noteId;
}

/** Returns the note whose draft a document is; null for any other document. */
export function noteOfDraft(id: string): string | null {
  return id.startsWith(DRAFT) ? id.slice(DRAFT.length) : null;
}
