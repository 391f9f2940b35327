import { TaskFailed, TaskLimitError } from '../../../../../concurrency/worker-pool.ts';
import type { OpenVault } from '../../../vaults/vaults.ts';
import type { LiveDeps } from '../../notes.deps.ts';
import { offload } from '../../writes/offload/offload.ts';
import type { Trial, TrialInput } from './trial.ts';

/** Processor time of a trial: loading the document, applying the update, and encoding the result. */
const TRIAL_MS = 3_000;

/**
 * Tries an update on a copy of a document, on a worker thread. An update is costly only if a second trial agrees: code
 * that runs for the first time, a garbage collection, and time that a hypervisor gave to others count as processor time.
 */
export async function runTrial(
  deps: TrialDeps,
  vault: Pick<OpenVault, 'callerId'>,
  state: Uint8Array,
  update: Uint8Array,
  ownClient: number,
): Promise<Trial> {
  const input = { state, update: update.slice(), ownClient };
  const first = await tryOnce(deps, vault, input);
  return first.kind === 'costly' ? tryOnce(deps, vault, input) : first;
}

type TrialDeps = Pick<LiveDeps, 'compute' | 'trialMs'>;

async function tryOnce(deps: TrialDeps, vault: Pick<OpenVault, 'callerId'>, input: TrialInput): Promise<Trial> {
  const { state, update } = input;
  const bytes = state.length + update.length;
  try {
    return await offload(deps, vault, 'tryUpdate', input, bytes, { cpuMs: deps.trialMs ?? TRIAL_MS });
  } catch (error) {
    if (error instanceof TaskFailed) return { kind: 'malformed' };
    if (!(error instanceof TaskLimitError)) throw error;
    const text = await offload(deps, vault, 'textOfUpdate', { update }, update.length);
    return { kind: 'costly', text };
  }
}

/** Runs work that tries updates on a worker thread, one after the other. */
export class TrialQueue {
  #last: Promise<unknown> | undefined;

  get isRunning(): boolean {
    return this.#last !== undefined;
  }

  /** Runs `work` after all that was given before, whether that succeeded or not. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = (this.#last ?? Promise.resolve()).then(work);
    const ended = run.then(
      () => undefined,
      () => undefined,
    );
    this.#last = ended;
    void ended.then(() => {
      if (this.#last === ended) this.#last = undefined;
    });
    return run;
  }
}
