import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { Tasks } from '../concurrency/task-worker.ts';
import { WorkerPool } from '../concurrency/worker-pool.ts';
import type { Config } from '../config/config.ts';

/** One processor is left for the event loop. */
const COMPUTE_THREADS = Math.max(1, availableParallelism() - 1);
/**
 * Memory limit of a thread: far more than any valid input takes (600 MB for a text of five million lines), because a
 * thread that reaches it may end the whole process, since V8 cannot always end a thread in time.
 */
const COMPUTE_MB = 1024;

/** Makes the pool of threads for costly work; they are started on demand. */
export function openComputePool(): WorkerPool<Tasks> {
  const options = { resourceLimits: { maxOldGenerationSizeMb: COMPUTE_MB } };
  return new WorkerPool<Tasks>({ start: () => new Worker(scriptOf('compute-thread'), options), size: COMPUTE_THREADS });
}

export function startSearchThread({ searchMemoryMb }: Config): Worker {
  return new Worker(scriptOf('search-thread'), {
    workerData: { maxBytes: searchMemoryMb * MB },
    // A thread that exceeds this limit ends alone and is started again.
    resourceLimits: { maxOldGenerationSizeMb: 2 * searchMemoryMb + 512 },
  });
}

/** The URL of the source, or of the compiled file. */
function scriptOf(name: string): URL {
  return new URL(`../${name}.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
}
