import { parentPort, workerData } from 'node:worker_threads';
import { sealed } from './domains/notes/meta.ts';
import type { Question, Reply } from './domains/search/desk.ts';
import { createDesk } from './domains/search/desk-work.ts';
import { systemClock } from './engines/clock/clock.ts';
import { sealingKey } from './engines/keyring/sealing.ts';
import { collectAtLeisure } from './engines/memory/memory.ts';

/*
 * The search thread: the second place where things are put together. It holds indexes in memory and opens what is sealed,
 * so that neither costs the thread that answers requests anything.
 */

const { maxBytes } = workerData as { maxBytes: number };
const clock = systemClock();
const desk = createDesk({
  maxBytes,
  uuid: clock.uuid,
  openKey: ({ dataKey, owner, generation }) => sealingKey(dataKey, owner, generation, clock.random),
  openMeta: (key, note) => sealed.openMeta({ key }, note.id, note.stamp, note.meta),
  openContent: (key, note) => sealed.openContent({ key }, note.id, note.version, note.content ?? new Uint8Array()),
});

const worked = collectAtLeisure();

parentPort?.on('message', ({ number, verb, ask }: Question) => {
  worked();
  Promise.try(() => (desk[verb] as (ask: unknown) => unknown)(ask)).then(
    (answer) => parentPort?.postMessage({ number, answer, bytes: desk.bytes() } satisfies Reply),
    (error: unknown) => parentPort?.postMessage({ number, failure: nameOf(error) } satisfies Reply),
  );
});

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? `${error.name} ${String(error.code)}` : error.name;
}
