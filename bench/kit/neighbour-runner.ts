import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { NeighbourLoad } from './neighbour-load.ts';
import { helperMain } from './neighbour-process.ts';

// Runs the load of the given file: prepares it, then works until told to stop.
const GRACE_MS = 2000;

await helperMain(async (target, [file = '']) => {
  const { load } = (await import(pathToFileURL(file).href)) as { load: NeighbourLoad };
  await load.prepare?.(target);
  return async (signal) => {
    const over = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([load.run(target, signal), over.then(() => delay(GRACE_MS))]);
  };
});
