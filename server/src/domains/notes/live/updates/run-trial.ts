import { TaskFailed, TaskLimitError } from '../../../../concurrency/worker-pool.ts';
import type { OpenVault } from '../../../vaults/vaults.ts';
import type { NoteDeps } from '../../notes.deps.ts';
import { offload } from '../../writes/offload/offload.ts';
import type { ApplyRejection } from './outcomes.ts';
import { LineageError, TooCostly, TooLarge, UnknownServerUpdate } from './outcomes.ts';
import type { Trial } from './trial.ts';
import { MalformedUpdate, UnsupportedUpdate } from './update-validator.ts';

/** Processor time of a trial: loading the document, applying the update, and encoding the result. */
const TRIAL_MS = 3_000;

/**
 * Tries an update on a copy of a document, on a worker thread.
 *
 * @param state the document (Yjs update, v1).
 * @param ownClient the client id under which the server itself edits.
 */
export async function runTrial(
  deps: Pick<NoteDeps, 'compute'>,
  vault: OpenVault,
  state: Uint8Array,
  update: Uint8Array,
  ownClient: number,
): Promise<Trial> {
  const input = { state, update: update.slice(), ownClient };
  const bytes = state.length + update.length;
  try {
    return await offload(deps, vault, 'tryUpdate', input, bytes, { cpuMs: TRIAL_MS });
  } catch (error) {
    if (error instanceof TaskFailed) return { kind: 'malformed' };
    if (!(error instanceof TaskLimitError)) throw error;
    const text = await offload(deps, vault, 'textOfUpdate', { update: update.slice() }, update.length);
    return { kind: 'costly', text };
  }
}

/** Returns why an update that was tried is refused. */
export function rejectionOf(
  trial: Exclude<Trial, { readonly kind: 'accepted' | 'known' | 'missing' }>,
): ApplyRejection {
  switch (trial.kind) {
    case 'foreign':
      return new LineageError(trial.text);
    case 'costly':
      return new TooCostly(trial.text);
    case 'ahead':
      return new UnknownServerUpdate();
    case 'too_large':
      return new TooLarge();
    case 'unsupported':
      return new UnsupportedUpdate();
    case 'malformed':
      return new MalformedUpdate('it does not hold together');
  }
}
