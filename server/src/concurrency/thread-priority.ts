import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Lets the event loop's thread have the processor before this one. Linux gives each thread a priority of its own, by the
 * thread's id; elsewhere nothing happens.
 */
export function runInBackground(): void {
  try {
    const threadId = Number(basename(readlinkSync('/proc/thread-self')));
    if (threadId !== process.pid) setPriority(threadId, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // No such folder, or not allowed: then all threads share as equals.
  }
}
