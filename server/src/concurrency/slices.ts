export function* slicesOf<Item>(items: readonly Item[], count: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += count) yield items.slice(at, at + count);
}

/** Cuts a list into slices of at most `count` items and `bytes`; a slice of one item may have more bytes. */
export function* slicesBySize<Item>(
  items: readonly Item[],
  { count = Number.POSITIVE_INFINITY, bytes }: { readonly count?: number; readonly bytes: number },
  bytesOf: (item: Item) => number,
): Generator<Item[]> {
  let slice: Item[] = [];
  let sum = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (slice.length === count || (slice.length > 0 && sum + size > bytes)) {
      yield slice;
      [slice, sum] = [[], 0];
    }
    slice.push(item);
    sum += size;
  }
  if (slice.length > 0) yield slice;
}
