/** Rows are overwritten as they are deleted, so bytes count, not rows: a slice must not hold up other writers. */
export const SLICE_BYTES = 4 * 1024 * 1024;
export const SLICE_ROWS = 100;

/** The first rows that fit into a slice, at least one. */
export function firstBytes<Row>(rows: readonly Row[], bytesOf: (row: Row) => number): Row[] {
  let bytes = 0;
  return rows.filter((row, index) => {
    bytes += bytesOf(row);
    return index === 0 || bytes <= SLICE_BYTES;
  });
}
