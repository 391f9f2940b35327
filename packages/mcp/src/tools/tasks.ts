import { ApiError } from '@notevault/client/transport.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { TASK_STATES, TASKS_PAGE, type Task } from '@notevault/protocol/tasks.ts';
import { Type } from 'typebox';
import { chooseNote } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { fittingPage, moreLine } from '../paging.ts';
import { DATA_NOTICE, data, ToolFailure } from '../text/answer.ts';
import { withUndo } from '../text/undo-call.ts';
import { CHANGES, tool } from '../tool.ts';
import { undoOf } from './change-note.ts';
import { cursor, id, input, optional, path, text, vault } from './fields.ts';

export const listTasks = tool({
  name: 'list_tasks',
  title: 'List tasks',
  description: 'List the tasks (list items with a box) of a vault by due date, with their note and line.',
  input: input({
    vault,
    state: Type.Optional(Type.Enum(['open', 'done', 'all'], { description: 'Default open.' })),
    due_before: optional('A day, 2026-12-01: due on it or before.'),
    tag: optional('On the line of the task.'),
    folder: optional('With its subfolders.'),
    cursor,
  }),
  rule: operations.listTasks,
  async run({ vault: wanted, state = 'open', ...request }, context) {
    const client = await chooseVault(context, wanted);
    const filter = { ...request, ...(state === 'all' ? {} : { state }) };
    const {
      tasks,
      lines,
      next_cursor: next,
    } = await fittingPage(
      TASKS_PAGE,
      (limit) => client.tasks({ ...filter, limit: String(limit) }),
      ({ tasks }) => tasks.map(taskLine),
    );
    const structured = { notice: DATA_NOTICE, vault: client.id, tasks, has_more: next !== null, cursor: next };
    if (tasks.length === 0) return { parts: ['No task matches.'], structured };
    return { parts: ['Note, line, box, text:', data(lines.join('\n')), ...moreLine(next)], structured };
  },
});

/** The text ends the line, because only it can be long; `set_task` takes it as it stands. */
function taskLine({ path, line, text, state }: Task): string {
  return `${path}:${line}  [${state === 'done' ? 'x' : ' '}] ${text}`;
}

export const setTask = tool({
  name: 'set_task',
  title: 'Tick a task',
  description: 'Set a task open or done. Fails if its line no longer has this text.',
  input: input({
    vault,
    path,
    id,
    line: Type.Integer({ minimum: 1 }),
    text: text('What follows the box, as list_tasks gave it.'),
    state: Type.Enum([...TASK_STATES]),
  }),
  rule: operations.toggleTask,
  hints: { ...CHANGES, idempotentHint: true },
  async run({ vault: wanted, line, text, state, ...name }, context) {
    const client = await chooseVault(context, wanted);
    const note = await chooseNote(client, name);
    try {
      const toggled = await client.toggleTask({ note_id: note.id, line, text, state });
      const { task, version, content_hash: hash } = toggled;
      const structured = { notice: DATA_NOTICE, id: note.id, path: note.path, task, hash, version };
      const lead = `The task is ${task.state}. Hash ${hash}, version ${version}.`;
      const answer = { parts: [lead, data(taskLine({ ...task, path: note.path }))], structured };
      if (version === note.version) return answer;
      const back = { id: note.id, line: task.line, text: task.text, state: state === 'done' ? 'open' : 'done' };
      // Exact also for a cancelled task, but only if nobody changed the note after it was read.
      const undo = version === note.version + 1 ? undoOf(note, toggled) : { tool: 'set_task', arguments: back };
      return withUndo(client, answer, [undo], note.path);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      throw new ToolFailure('This line no longer has this task; nothing was changed. list_tasks shows where it is.');
    }
  },
});
