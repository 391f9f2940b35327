import { tasksOf, withTaskState } from '@notevault/note-text/tasks.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { TASK_STATES, type TaskState, type TaskToggled, type ToggleTask } from '@notevault/protocol/tasks.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { WriteContext } from '../../entries/entries.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { editText } from './edit-text.ts';

/**
 * Ticks a task of a note, or unticks it. Throws `text_changed` when no task with this text is on that line, a validation
 * error, and the errors of `editText`.
 */
export async function toggleTask(
  deps: NoteDeps,
  context: WriteContext<TaskToggled>,
  id: NoteId,
  { line, text, state: wanted }: Omit<ToggleTask, 'note_id'>,
): Promise<TaskToggled> {
  if (wanted != null && !isState(wanted)) throw invalid({ state: [`must be one of ${TASK_STATES.join(', ')}`] });
  const find = (content: string) => tasksOf(content).find((task) => task.line === line && task.text === text);
  const edit = (content: string) => {
    const task = find(content);
    if (task === undefined) throw new NotevaultError('text_changed');
    return withTaskState(content, task, wanted ?? (task.state === 'open' ? 'done' : 'open'));
  };
  return editText(deps, context, id, edit, ({ path, content, version, content_hash }) => {
    const task = find(content);
    if (task === undefined) throw new TypeError('a task was lost when it was ticked');
    const { state, due, tags } = task;
    return { task: { note_id: id, path, line, text, state, due, tags: [...tags] }, version, content_hash };
  });
}

function isState(word: string): word is TaskState {
  return (TASK_STATES as readonly string[]).includes(word);
}
