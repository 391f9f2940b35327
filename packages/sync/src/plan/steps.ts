/** Work on many files that may be interrupted at each `yield`, so that it keeps nothing else waiting. */
export type Steps<Result> = Generator<void, Result, void>;

/** Files between two interruptions. */
const STEP = 250;

/** Does something to each item, with an interruption now and then. */
export function* eachInSteps<Item>(items: Iterable<Item>, work: (item: Item) => void): Steps<void> {
  let count = 0;
  for (const item of items) {
    work(item);
    count += 1;
    if (count % STEP === 0) yield;
  }
}

export function* filteredInSteps<Item>(items: Iterable<Item>, holds: (item: Item) => boolean): Steps<Item[]> {
  const found: Item[] = [];
  yield* eachInSteps(items, (item) => {
    if (holds(item)) found.push(item);
  });
  return found;
}

/** Does the work without interruptions. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** @param rest is called at each interruption; the work goes on once it resolves. */
export async function withRests<Result>(steps: Steps<Result>, rest: () => Promise<void>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await rest();
  }
}
