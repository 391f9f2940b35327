import { parentPort, workerData } from 'node:worker_threads';
import { sealed } from './domains/content/notes/sealed-note.ts';
import { SearchWorker } from './domains/reading/search/worker/worker.ts';
import type { WorkerRequest, WorkerResponse } from './domains/reading/search/worker/worker-api.ts';
import { systemClock } from './ports/clock/clock.ts';
import { collectWhenIdle } from './ports/gc/gc.ts';
import { sealingKey } from './ports/keyring/sealing.ts';

/*
 * The entry file of the search thread. It holds the indexes and opens sealed data, so that neither blocks the thread
 * that answers requests.
 */

const { maxBytes } = workerData as { maxBytes: number };
const clock = systemClock();
const worker = new SearchWorker({
  maxBytes,
  uuid: clock.uuid,
  openKey: ({ dataKey, owner, generation }) => sealingKey(dataKey, owner, generation, clock.random),
  openMeta: (key, note) => sealed.openMeta({ key }, note.id, note.revision, note.meta),
  openContent: (key, note) => sealed.openContent({ key }, note.id, note.version, note.content ?? new Uint8Array()),
});

const worked = collectWhenIdle();

parentPort?.on('message', ({ id, method, params }: WorkerRequest) => {
  worked();
  Promise.try(() => (worker[method] as (params: unknown) => unknown).call(worker, params)).then(
    (result) => parentPort?.postMessage({ id, result, bytes: worker.bytes } satisfies WorkerResponse),
    (error: unknown) => parentPort?.postMessage({ id, failure: nameOf(error) } satisfies WorkerResponse),
  );
});

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? `${error.name} ${String(error.code)}` : error.name;
}
