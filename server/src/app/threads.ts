import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Tasks } from '../concurrency/task-worker.ts';
import { WorkerPool } from '../concurrency/worker-pool.ts';
import type { Config } from '../config/config.ts';

const MB = 1024 * 1024;
/** One processor stays with the event loop. */
const COMPUTE_THREADS = Math.max(1, availableParallelism() - 1);
/**
 * What a thread may hold in memory. Far more than any input within its bounds takes (600 MB: a text of five million lines):
 * a thread that reaches it may take the process with it, as V8 cannot always end a thread in time.
 */
const COMPUTE_MB = 1024;

/** The threads for costly work; started when there is some. */
export function openComputePool(): WorkerPool<Tasks> {
  const options = { resourceLimits: { maxOldGenerationSizeMb: COMPUTE_MB } };
  return new WorkerPool<Tasks>({ start: () => new Worker(scriptOf('compute-thread'), options), size: COMPUTE_THREADS });
}

export function startSearchThread({ searchMemoryMb }: Config): Worker {
  return new Worker(scriptOf('search-thread'), {
    workerData: { maxBytes: searchMemoryMb * MB },
    // A thread that outgrows this ends alone, and is started again.
    resourceLimits: { maxOldGenerationSizeMb: 2 * searchMemoryMb + 512 },
  });
}

/** The source, or what it was compiled to. */
function scriptOf(name: string): URL {
  return new URL(`../${name}.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
}
