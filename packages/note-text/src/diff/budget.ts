/** Steps left to spend, about ten nanoseconds each; shared by all searches of one comparison. */
export interface Budget {
  work: number;
}

/** Thrown when a comparison takes more steps than its caller allows. */
export class TooManySteps extends Error {
  override readonly name = 'TooManySteps';
}

/**
 * Runs a comparison that settles for a coarser result after `work` steps. Throws TooManySteps when it takes `allowed`
 * steps, if these are fewer: the result is then the same for everyone, however few steps some callers allow.
 */
export function withBudget<Result>(work: number, allowed: number, compare: (budget: Budget) => Result): Result {
  const budget = { work: Math.min(work, allowed) };
  const result = compare(budget);
  if (allowed < work && budget.work <= 0) throw new TooManySteps();
  return result;
}
