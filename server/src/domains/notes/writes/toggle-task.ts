import { type Task, withToggledTask } from '@notevault/note-text/tasks.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { TASK_STATES, type TaskState, type TaskToggled, type ToggleTask } from '@notevault/protocol/tasks.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { WriteContext } from '../../entries/entries.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { editText } from './edit-text.ts';
import { offload } from './offload/offload.ts';
import { isLargeText } from './offload/task-transfer.ts';

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
  let task: Task | undefined;
  const edit = async (content: string) => {
    const input = { content, line, text, state: wanted ?? null };
    const toggled = isLargeText(content)
      ? await offload(deps, context.vault, 'toggleTask', input, 2 * content.length, { patient: true })
      : withToggledTask(input);
    if (toggled === null) throw new NotevaultError('text_changed');
    task = toggled.task;
    return toggled.content;
  };
  return editText(deps, context, id, edit, ({ path, version, content_hash }) => {
    if (task === undefined) throw new TypeError('a task was written and not read');
    const { state, due, tags } = task;
    return { task: { note_id: id, path, line, text, state, due, tags: [...tags] }, version, content_hash };
  });
}

function isState(word: string): word is TaskState {
  return (TASK_STATES as readonly string[]).includes(word);
}
