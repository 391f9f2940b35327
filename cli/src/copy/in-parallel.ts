/** Runs `work` for every item, at most `atOnce` at a time; calls `progress` with the number of items done. */
export async function inParallel<Item>(
  atOnce: number,
  items: readonly Item[],
  progress: (done: number) => void,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  let done = 0;
  const worker = async () => {
    for (const item of queue) {
      await work(item);
      progress(++done);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
