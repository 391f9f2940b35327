import { MB } from '@notevault/protocol/values/byte-units.ts';
import { slicesBySize } from '../../../concurrency/slices.ts';

/** Maximum bytes per slice, so that overwriting deleted rows does not delay other writers. */
export const SLICE_BYTES = 4 * MB;
export const SLICE_ROWS = 100;

/** Returns the first rows that fit into a slice, at least one. */
export function firstBytes<Row>(rows: readonly Row[], bytesOf: (row: Row) => number): Row[] {
  const [first = []] = slicesBySize(rows, { bytes: SLICE_BYTES }, bytesOf);
  return first;
}
