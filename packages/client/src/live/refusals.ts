import { DISPOSE } from '../dispose.ts';
import { after } from '../pause.ts';

/** Time in which the server may request the edits that an early edit depends on, in milliseconds. */
const GRACE_MS = 3_000;

/**
 * Tells an edit that the server refuses from one that came too early. After a reconnection an edit can be sent before
 * the documents were compared, and then depends on edits that the server lacks. It is answered with SyncStatus 0 like a
 * refused one, but then the server asks with sync step 1, and acknowledges the answer (rule 7.7 of the sync spec).
 */
export class Refusals implements Disposable {
  readonly #onRefused: () => void;
  #unexplained = 0;
  #cancel: (() => void) | undefined;

  /** @param onRefused called when the server has not asked for anything after a SyncStatus 0. */
  constructor(onRefused: () => void) {
    this.#onRefused = onRefused;
  }

  /** Call at a SyncStatus 0. */
  refused(): void {
    this.#unexplained += 1;
    this.#cancel ??= after(GRACE_MS, () => {
      this.#cancel = undefined;
      this.#unexplained = 0;
      this.#onRefused();
    });
  }

  /** Call at a sync step 1 of the server. */
  asked(): void {
    this.#unexplained = Math.max(0, this.#unexplained - 1);
    if (this.#unexplained === 0) this.#stop();
  }

  /** Call at each connection: everything the server lacks is sent anew. */
  begin(): void {
    this.#unexplained = 0;
    this.#stop();
  }

  [DISPOSE](): void {
    this.begin();
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
