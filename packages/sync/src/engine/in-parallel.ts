/** Runs tasks, some of them at once, until one fails; throws the first failure once the others under way have ended. */
export async function inParallel(tasks: readonly (() => Promise<void>)[], concurrency: number): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const worker = async () => {
    while (failures.length === 0) {
      const task = tasks[next++];
      if (task === undefined) return;
      await task().catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, tasks.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
