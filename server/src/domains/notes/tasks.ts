import { textOfUpdate, tryUpdate } from './live/trial.ts';

/** What this domain runs on the worker threads of the pool. */
export const noteTasks = { tryUpdate, textOfUpdate };

export type NoteTasks = typeof noteTasks;
