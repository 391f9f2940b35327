/** Rows read or written between two yields: during a long transaction, others run only between its calls. */
export const SLICE = 512;

/** Cuts rows into slices, each of which one call writes. */
export function* slicesOf<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let at = 0; at < rows.length; at += SLICE) yield rows.slice(at, at + SLICE);
}
