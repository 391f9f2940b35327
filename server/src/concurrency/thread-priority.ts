import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/** So that the event loop's thread goes first. Only on Linux, where each thread has a priority, set by thread id. */
export function runInBackground(): void {
  try {
    const threadId = Number(basename(readlinkSync('/proc/thread-self')));
    if (threadId !== process.pid) setPriority(threadId, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Without this folder or permission, all threads have equal priority.
  }
}
