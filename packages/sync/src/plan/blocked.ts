import type { FileState } from './file-states.ts';
import type { Side } from './side.ts';

/**
 * Marks each file that waits, directly or behind others, for the path of a file that stays because of a problem. Without
 * the mark it would wait forever and nobody would be told; with it, its content is synced although its path cannot be.
 */
export function markBlocked(states: readonly FileState[], sides: readonly Side[]): void {
  if (states.every(({ problem }) => problem === null)) return;
  for (const side of sides) {
    for (const state of states) if (state.problem === null && isBlocked(state, side)) state.problem = 'blocked';
  }
}

function isBlocked(start: FileState, side: Side): boolean {
  const seen = new Set<FileState>();
  for (let at: FileState | null = start; at !== null && !seen.has(at); ) {
    if (at.problem !== null) return true;
    seen.add(at);
    const { target } = at;
    if (target === null || side.pathOf(at) === target) return false;
    at = side.blockerOf(at, target);
  }
  return false;
}
