import type { CustomTypesConfig } from 'pg';

/** Parsers by the type numbers of PostgreSQL's catalogue, which are the same everywhere. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [16, (text) => (text === 't' ? 1 : 0)],
  [17, (text) => Buffer.from(text.slice(2), 'hex')],
  [20, integer],
  [21, Number],
  [23, Number],
  [700, Number],
  [701, Number],
  [1700, integer],
]);

/** Converts the values of rows: integers to exact numbers, `bytea` to bytes, everything else to text. */
export const valueTypes: CustomTypesConfig = {
  getTypeParser: (type: number) => PARSERS.get(type) ?? ((text: string) => text),
};

/** Parses integers, and sums of integers, which PostgreSQL returns as `numeric`. Throws instead of rounding. */
function integer(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new RangeError('an integer beyond 2^53');
  return value;
}
