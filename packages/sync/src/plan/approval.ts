import type { BrakeReason } from './brake.ts';
import { keyOf, type Operation } from './operations.ts';

/**
 * A user's approval of one plan: it covers the operations of that plan and no later ones, so that a deletion of many
 * files after it is stopped again.
 */
export class Approval {
  readonly #isGiven: (brakes: readonly BrakeReason[]) => boolean;
  #keys: ReadonlySet<string> | null = null;

  /** Approves the next plan. @param isGiven whether what stops that plan is approved */
  constructor(isGiven: (brakes: readonly BrakeReason[]) => boolean = () => true) {
    this.#isGiven = isGiven;
  }

  /** Approves a plan that the user has seen. */
  static of(operations: readonly Operation[]): Approval {
    const approval = new Approval();
    approval.#keys = new Set(operations.map(keyOf));
    return approval;
  }

  /** Decides on the first plan given; does nothing with later ones. */
  meet(operations: readonly Operation[], brakes: readonly BrakeReason[]): void {
    this.#keys ??= new Set(brakes.length > 0 && this.#isGiven(brakes) ? operations.map(keyOf) : []);
  }

  covers(operation: Operation): boolean {
    return this.#keys?.has(keyOf(operation)) === true;
  }
}
