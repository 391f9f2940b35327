import { join } from 'node:path';
import { commitOf } from '../server/src/version.ts';

/**
 * Returns the commit that is built: `NOTEVAULT_COMMIT`, as where an image is built without the history, or that of the
 * repository. Undefined if neither is known.
 */
export function builtCommit(): string | undefined {
  return process.env.NOTEVAULT_COMMIT || (commitOf(join(import.meta.dirname, '..')) ?? undefined);
}
