import { isMainThread } from 'node:worker_threads';

// Preloaded into every test file, and by its threads too, which need nothing of it.
if (isMainThread) await import('./test-thread.ts');
