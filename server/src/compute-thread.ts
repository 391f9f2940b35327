import { serveTasks } from './concurrency/task-worker.ts';
import { canvasTasks } from './domains/content/links/canvases/tasks.ts';
import { createNoteTasks } from './domains/content/notes/writes/offload/tasks.ts';
import { mcpTasks } from './domains/exchanging/mcp/tasks.ts';
import { pageTasks } from './domains/exchanging/public-links/tasks.ts';
import { systemClock } from './ports/clock/clock.ts';
import { collectAfterWork } from './ports/gc/gc.ts';
import { sealingKey } from './ports/keyring/sealing.ts';

/*
 * A thread of the pool, which runs work that would block the event loop: the tasks of all domains. A task depends on
 * its input alone: it has no database, and no keys except those in its input.
 */

const { random } = systemClock();

const tasks = {
  ...createNoteTasks(({ dataKey, owner, generation }) => sealingKey(dataKey, owner, generation, random)),
  ...mcpTasks,
  ...canvasTasks,
  ...pageTasks,
};

/** Long enough to read a page: a collection drops compiled code too, without which the next takes several times as long. */
const IDLE_MS = 30_000;

serveTasks(tasks, collectAfterWork(undefined, IDLE_MS));
