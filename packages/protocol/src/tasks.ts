import { type Static, Type } from 'typebox';
import { documented, Nullable, Uuid } from './values/schemas.ts';

export const TASK_STATES = ['open', 'done'] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** Maximum number of tasks of one page. */
export const TASKS_PAGE = 100;

export const Task = Type.Object({
  note_id: Uuid,
  path: Type.String(),
  line: Type.Integer({ description: 'Line number in the note, from 1.' }),
  text: Type.String({ description: 'What follows the box on its line; at most 1,000 UTF-16 units.' }),
  state: Type.Unsafe<TaskState>(
    Type.String({ enum: [...TASK_STATES], description: '`[x]` and the cancelled `[-]` are done.' }),
  ),
  due: Nullable(Type.String({ description: 'The day written as `📅 2026-12-01` or `due:: 2026-12-01`.' })),
  tags: Type.Array(Type.String(), { description: 'The tags on its line, without `#`.' }),
});
export type Task = Static<typeof Task>;

export const TasksQuery = Type.Object({
  state: Type.Optional(Type.String({ description: 'Default: both.', ...documented({ enum: TASK_STATES }) })),
  due_before: Type.Optional(Type.String({ description: 'A day, `2026-12-01`: tasks that are due on it or before.' })),
  tag: Type.Optional(Type.String({ description: 'Tasks with this tag on their line, or with one below it.' })),
  folder: Type.Optional(Type.String({ description: 'A folder, with its subfolders.' })),
  limit: Type.Optional(Type.String({ description: `1 to ${TASKS_PAGE}, the default.` })),
  cursor: Type.Optional(
    Type.String({
      description: 'The `next_cursor` of the page before, with the same other parameters except `limit`.',
    }),
  ),
});
export type TasksQuery = Static<typeof TasksQuery>;

export const Tasks = Type.Object({
  tasks: Type.Array(Task, { description: 'By day, those without one last, then by note and line.' }),
  next_cursor: Nullable(Type.String({ description: 'Null on the last page.' })),
});
export type Tasks = Static<typeof Tasks>;

export const ToggleTask = Type.Object({
  note_id: Uuid,
  line: Type.Integer({ minimum: 1 }),
  text: Type.String({ description: 'The `text` of the task, as it was read.' }),
  state: Type.Optional(
    Nullable(
      Type.String({
        description: 'The state to have; default: the other one.',
        ...documented({ enum: [...TASK_STATES, null] }),
      }),
    ),
  ),
});
export type ToggleTask = Static<typeof ToggleTask>;

export const TaskToggled = Type.Object({
  task: Task,
  version: Type.Integer({ description: 'The version of the note.' }),
  content_hash: Type.String(),
});
export type TaskToggled = Static<typeof TaskToggled>;
