import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// Preloaded into every test file, and by its threads too, which need nothing else of it.
if (isMainThread) await import('./test-thread.ts');
else if (process.env.TEST_PROGRAM !== undefined) startBundled(process.env.TEST_PROGRAM);

/**
 * Makes the server's threads start from the bundled program. Starting one from source takes a third of a second of
 * processor time, whenever a test searches or compares.
 */
function startBundled(program: string): void {
  const sources = new URL('../server/src/', import.meta.url).href;
  const bundled = pathToFileURL(join(program, '../../../server/src/')).href;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const isThread = specifier.startsWith(sources) && /-(?:thread|worker)\.ts$/.test(specifier);
      if (!isThread) return nextResolve(specifier, context);
      return nextResolve(bundled + specifier.slice(sources.length).replace(/ts$/, 'js'), context);
    },
  });
}
