import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Lowers the priority of this thread below the event loop's; only on Linux, which has one per thread. */
export function runInBackground(): void {
  try {
    const threadId = Number(basename(readlinkSync('/proc/thread-self')));
    if (threadId !== process.pid) setPriority(threadId, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Without this folder or permission, all threads have equal priority.
  }
}
