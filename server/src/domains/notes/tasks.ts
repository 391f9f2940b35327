import { tryUpdates } from './live/trial.ts';

/** What this domain runs on the worker threads of the pool. */
export const noteTasks = { tryUpdates };

export type NoteTasks = typeof noteTasks;
