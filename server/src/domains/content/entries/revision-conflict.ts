import { NotevaultError } from '@notevault/protocol/errors.ts';

/** Thrown when a row has changed since a write was prepared from it: the write must be prepared again. */
export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict';
}

/** Maximum number of attempts; each failed one lost against a faster writer. */
const ROUNDS_MAX = 50;

/** Retries a write as long as it throws RevisionConflict. Throws `unavailable` after the last attempt. */
export async function retryOnConflict<Result>(attempt: () => Promise<Result>, rounds = ROUNDS_MAX): Promise<Result> {
  for (let round = 1; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      if (round === rounds) throw new NotevaultError('unavailable', {}, error);
    }
  }
}

/** The trash has no room for what is to be deleted. */
export class TrashFull extends Error {
  override readonly name = 'TrashFull';
}
