import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Lowers the priority of this thread below the event loop's. Works only on Linux, where a priority is set per thread
 * id.
 */
export function runInBackground(): void {
  try {
    const threadId = Number(basename(readlinkSync('/proc/thread-self')));
    if (threadId !== process.pid) setPriority(threadId, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Without this folder or permission, all threads have equal priority.
  }
}
