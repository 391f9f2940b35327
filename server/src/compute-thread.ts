import { serveTasks } from './concurrency/task-worker.ts';
import { noteTasks } from './domains/notes/tasks.ts';

/*
 * A thread of the pool that runs what would hold up the event loop: the tasks of all domains, put together. A task is a
 * function of its input alone; it has no database and no keys but those its input lends.
 */

const tasks = { ...noteTasks };

export type ComputeTasks = typeof tasks;

serveTasks(tasks);
