import { MB } from '@notevault/protocol/values/byte-units.ts';

/** Estimates of the memory that large answers take while they are made, for `answerBytes` of a route. */
export const answerBytes = {
  /** A page or list of megabytes, which exists as rows, as texts, and as JSON. */
  page: 16 * MB,
  /** A note, usually far smaller than the largest one. */
  note: 2 * MB,
  /** The answer to a write, which contains the written note. */
  write: MB,
} as const;
