import type { Operation } from '../plan/operations.ts';
import { kindOf } from '../plan/trees.ts';

/** Maximum number of notes created in one request. */
const NOTES_PER_REQUEST = 100;

type CreateRemote = Extract<Operation, { type: 'createRemote' }>;
type Task =
  | { readonly kind: 'one'; readonly operation: Operation }
  | { readonly kind: 'notes'; readonly operations: readonly CreateRemote[] };

/** Groups the operations into tasks; new notes are uploaded in batches. */
export function tasksOf(operations: readonly Operation[]): Task[] {
  const isNewNote = (operation: Operation): operation is CreateRemote =>
    operation.type === 'createRemote' && kindOf(operation.path) === 'note';
  const notes = operations.filter(isNewNote);
  const tasks: Task[] = operations
    .filter((operation) => !isNewNote(operation))
    .map((operation) => ({ kind: 'one', operation }));
  for (let at = 0; at < notes.length; at += NOTES_PER_REQUEST)
    tasks.push({ kind: 'notes', operations: notes.slice(at, at + NOTES_PER_REQUEST) });
  return tasks;
}
