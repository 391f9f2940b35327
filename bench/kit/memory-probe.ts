import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BroadcastChannel, isMainThread, type Worker } from 'node:worker_threads';

// Preloaded into a measured process and its threads: on SIGUSR1 all collect garbage, and the process reports the remaining
// memory by owner. Garbage that is not collected yet says nothing about our code; memory that remains after a collection
// does. With `--experimental-ffi`, the C library gives its free pages back to the system first.
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
const collect = () => {
  gc();
  gc();
};
const channel = new BroadcastChannel('collect garbage');
channel.unref();
/** Idle threads collect within this time. */
const THREADS_MS = 2_000;
const mb = (bytes: number) => Math.round((bytes / 1024 / 1024) * 10) / 10;

/** Returns glibc's malloc_trim(3), which gives back the free pages between blocks in use; undefined without the flag. */
function mallocTrim() {
  // The types promise the module, which is there only with the flag.
  const ffi = process.getBuiltinModule('node:ffi') as typeof import('node:ffi') | undefined;
  return ffi?.dlopen('libc.so.6', { malloc_trim: { arguments: ['u64'], return: 'i32' } }).functions.malloc_trim;
}

/** Resident memory of the whole process in MB: its own, and pages of mapped files, which the system can reclaim. */
function resident(): { own: number; files: number } {
  const status = readFileSync('/proc/self/status', 'utf8');
  const field = (name: string) => mb(1024 * Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0));
  return { own: field('RssAnon'), files: field('RssFile') + field('RssShmem') };
}

if (isMainThread) {
  const threads = new Set<Worker>();
  process.on('worker', (thread) => {
    threads.add(thread);
    thread.once('exit', () => threads.delete(thread));
  });
  process.on('SIGUSR1', async () => {
    channel.postMessage(null);
    collect();
    await delay(THREADS_MS);
    mallocTrim()?.(0n);
    const { rss, heapUsed, external } = process.memoryUsage();
    const heaps = await Promise.all([...threads].map((thread) => thread.getHeapStatistics().catch(() => null)));
    const sum = (name: 'total_physical_size' | 'external_memory') =>
      mb(heaps.reduce((all, heap) => all + (heap?.[name] ?? 0), 0));
    const collected = {
      ...{ resident: mb(rss), ...resident() },
      ...{ heap: mb(getHeapStatistics().total_physical_size), heapUsed: mb(heapUsed), external: mb(external) },
      ...{ threadHeaps: sum('total_physical_size'), threadExternal: sum('external_memory') },
    };
    process.stderr.write(`memory ${JSON.stringify(collected)}\n`);
  });
} else channel.onmessage = collect;
