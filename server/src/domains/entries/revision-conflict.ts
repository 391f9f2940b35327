import { NotevaultError } from '@notevault/protocol/errors.ts';

/** What a write was prepared from has changed: prepare it again. */
export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict';
}

/** Each round but the last meets a writer that was faster. */
const ROUNDS_MAX = 50;

/** Prepares and writes anew while somebody else was faster. Throws `unavailable` when that has no end. */
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
