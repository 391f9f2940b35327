import { ApiError } from '@notevault/client/transport.ts';
import type { Task, TaskState } from '@notevault/protocol/tasks.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useCanWrite } from '../../data/use-vault.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { errorText } from '../../ui/feedback/error-text.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { shownText, taskKey } from './task-groups.ts';
import { lineOf, movedTask, otherState, type Problem, type TickedTask } from './ticked-tasks.ts';

/**
 * Returns the tasks ticked on this page and the function to tick one: it is shown and written at once, and can be
 * undone.
 */
export function useTicks(vaultId: string) {
  const t = useTexts('tasks');
  const common = useTexts('vault');
  const queries = useQueryClient();
  const [touched, setTouched] = useState<ReadonlyMap<string, TickedTask>>(new Map());
  const put = (before: Task, entry: TickedTask | null) =>
    setTouched((now) => {
      const next = new Map(now);
      next.delete(taskKey(before));
      if (entry !== null) next.set(taskKey(entry.task), entry);
      return next;
    });
  const become = async (task: Task, state: TaskState, isUndo = false): Promise<void> => {
    put(task, { task: { ...task, state } });
    try {
      const written = await toggle(vaultId, task, state);
      put(task, { task: written });
      if (isUndo) return;
      const text = t(state === 'done' ? 'isDone' : 'isOpen', { text: shownText(task) });
      const undo = { label: common('undo'), run: () => void become(written, otherState(state), true) };
      showToast({ kind: 'plain', text, action: undo });
    } catch (error) {
      const problem = await problemOf(vaultId, task, error);
      put(task, { task, problem: problem ?? { kind: 'failed', text: errorText(common, error) } });
    } finally {
      void queries.invalidateQueries({ queryKey: keys.lists(vaultId) });
    }
  };
  return {
    touched,
    /** Whether the account may change the notes. */
    canTick: useCanWrite(vaultId),
    tick: (task: Task) => void become(task, otherState(task.state)),
    /** Removes the message about a task. */
    dismiss: (task: Task) => put(task, null),
  };
}

/** Writes the state of a task, also where its line is by now if nobody changed it. */
async function toggle(vaultId: string, task: Task, state: TaskState): Promise<Task> {
  const vault = api.vault(vaultId);
  const { note_id, text } = task;
  try {
    return (await vault.toggleTask({ note_id, line: task.line, text, state })).task;
  } catch (error) {
    if (!isChanged(error)) throw error;
    const note = await vault.readNoteById(note_id);
    if (note === null) throw error;
    const { tasksOf } = await import('@notevault/note-text/tasks.ts');
    const line = movedTask(task, tasksOf(note.content));
    if (line === null) throw error;
    return (await vault.toggleTask({ note_id, line, text, state })).task;
  }
}

/** Returns the problem of a task whose line has changed or is gone; null for any other error. */
async function problemOf(vaultId: string, { note_id, line }: Task, error: unknown): Promise<Problem | null> {
  if (error instanceof ApiError && error.code === 'note_not_found') return { kind: 'gone', text: '' };
  if (!isChanged(error)) return null;
  const note = await api
    .vault(vaultId)
    .readNoteById(note_id)
    .catch(() => undefined);
  if (note === null) return { kind: 'gone', text: '' };
  return { kind: 'changed', text: note === undefined ? '' : lineOf(note.content, line) };
}

function isChanged(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'text_changed';
}
